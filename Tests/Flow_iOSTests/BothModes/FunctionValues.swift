// Code as a user of Flow-iOS writes it, in both language modes: the flow's functions are passed as values.
import Flow_iOS

/// The requirements of a user's own code on a flow and on its operations, with the predecessor's signatures.
protocol Noting { func log(message: String) }
protocol Summarizing { func generateSummary() -> String }
protocol Startable { func start() }
protocol Chaining { func add(operation: FlowOperation, flowCase: FlowCase?) -> Flow }
protocol Storing {
  var dataBucket: [String: Any] { get set }
  func setData(name: String, value: Any)
}
protocol Writing { func setData(name: String, value: Any) }

extension Flow: Noting, Summarizing, Startable, Chaining, Storing {}
extension FlowOperation: Noting, Writing {}

extension Flow {
  convenience init(data: [String: Any]) {
    self.init()
    setDataBucket(dataBucket: data)
  }
}

class HandOutOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    let write = setData
    write("written", 1)
    let note = log
    note("by a value")
    ["by forEach"].forEach(log)
    finishSuccessfully()
  }
}

/// Stores a block of its own type, and accepts one.
class Caller {
  var ended: [Bool] = []
  var callback: ((Flow) -> Void)?

  func flowEnded(_ flow: Flow) { ended.append(flow.isSuccess) }

  func run(_ flow: Flow) {
    if let callback = callback {
      flow.setDidFinishBlock(block: callback)
    }
    flow.setWillStartBlock(block: flowEnded)
    flow.start()
  }
}

func handedAround() -> Flow {
  let flow = Flow(data: ["images": ["a", "b"]])
  let note = flow.log
  note("noted")
  let line: (String) -> Void = flow.log
  line("as a type")
  ["in a loop"].forEach(flow.log)
  let write = flow.setData
  _ = write("first", 1)
  let store: (String, Any) -> Void = flow.setData
  store("second", Date(timeIntervalSince1970: 0))
  let replace = flow.setDataBucket
  _ = replace(["images": ["a", 1], "first": 1, "second": 2])
  let group = flow.addGrouped
  _ = group(ScaleOp.self, FlowArrayGroupDispatcher(inputKey: "images", outputKey: "out", allowFailure: true))
  let add = flow.add(operation:flowCase:)
  _ = add(HandOutOp(), nil)
  let combine = flow.combine
  _ = combine()
  return flow
}

func started(_ flow: Flow) { return flow.start() }
func stored(_ flow: Flow) { return flow.setData(name: "stored", value: 1) }
func noted(_ flow: Flow) { return flow.log(message: "returned") }

func start(_ flow: Flow) {
  let start = flow.start
  _ = start()
}

func startLater(_ flow: Flow) {
  DispatchQueue.main.async(execute: flow.start)
}

func startNow(_ flow: Flow) {
  let start: () -> Void = flow.start
  start()
}

func summary(of flow: Flow) -> String {
  let generate = flow.generateSummary
  let shorter: () -> String = flow.generateSummary
  return generate() == shorter() ? generate() : ""
}
