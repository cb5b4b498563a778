// swift-format-ignore-file: NeverForceUnwrap, NoEmptyTrailingClosureParentheses
// Flow-iOS's users read the bucket and spell their blocks this way, which has to compile.
import Flow_iOS

/// An app's view controller: on the main actor, with a text to show.
@MainActor
class Screen {
  var title = ""
  var summary = ""
  var alerts: [String] = []

  func commonWillStartBlock(block: FlowWillStartBlock? = nil) -> FlowWillStartBlock {
    let result: FlowWillStartBlock = {
      flow in
      block?(flow)
      self.title = "starting"
    }
    return result
  }

  func commonDidFinishBlock(block: FlowDidFinishBlock? = nil) -> FlowDidFinishBlock {
    let result: FlowDidFinishBlock = {
      flow in
      block?(flow)
      self.summary = flow.generateSummary()
    }
    return result
  }

  func chained(then: @escaping FlowDidFinishBlock) {
    Flow()
      .add(operation: PrintOp(message: "hello world"))
      .add(operation: PrintOp(message: "good bye"))
      .setWillStartBlock(block: commonWillStartBlock())
      .setDidFinishBlock(block: commonDidFinishBlock(block: then))
      .start()
  }

  func login(email: String, password: String, then: @escaping FlowDidFinishBlock) {
    Flow()
      .setDataBucket(dataBucket: ["email": email, "password": password])
      .add(operation: LoginOp())
      .add(operation: LoadProfileOp())
      .setWillStartBlock(block: commonWillStartBlock())
      .setDidFinishBlock(
        block: commonDidFinishBlock() {
          flow in
          if flow.isSuccess {
            self.alerts.append("welcome \(flow.dataBucket["email"]!)")
          } else {
            self.alerts.append("failed: \(flow.error!)")
          }
          then(flow)
        }
      )
      .start()
  }
}

/// Calls back as a repository of an app does.
class Repository {
  func loadList(completion: @escaping @Sendable (_ list: [String], _ error: Error?) -> Void) {
    Flow()
      .add(operation: LoadListOp())
      .setDidFinishBlock(block: { flow in
        if let list = flow.dataBucket["list"] as? [String] {
          DispatchQueue.main.async { completion(list, nil) }
        } else {
          DispatchQueue.main.async { completion([], flow.error) }
        }
      })
      .start()
  }
}

/// Builds a flow call by call, and uses no result.
func builtCallByCall(didFinish: @escaping FlowDidFinishBlock) -> Flow {
  let flow = Flow()
  flow.setDataBucket(dataBucket: ["number": 1, "ratio": 0.5, "flags": [true, false], "names": ["k": "v"]])
  flow.setData(name: "date", value: Date(timeIntervalSince1970: 0))
  flow.setData(name: "number", value: 2)
  flow.add(operation: PrintOp(message: "one"))
  flow.add(operation: PrintOp(message: "two"), flowCase: FlowCase(key: "target", value: "A"))
  flow.combine()
  flow.add(operation: PrintOp(message: "three"), flowCase: nil)
  flow.addGrouped(
    operationCreator: UploadOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "images", outputKey: "urls"))
  flow.setWillStartBlock { _ in }
  flow.setDidFinishBlock(block: didFinish)
  flow.log(message: "built")
  return flow
}

func grouped(
  _ images: [String], maxConcurrentOperationCount: Int = 3, allowFailure: Bool = false,
  didFinish: @escaping FlowDidFinishBlock
) -> Flow {
  return Flow()
    .setDataBucket(dataBucket: ["images": images])
    .addGrouped(
      operationCreator: UploadOp.self,
      dispatcher: FlowArrayGroupDispatcher(
        inputKey: "images", outputKey: "urls", maxConcurrentOperationCount: maxConcurrentOperationCount,
        allowFailure: allowFailure)
    )
    .setDidFinishBlock(block: didFinish)
}

/// Builds two similar groups, through variables that have the types' names.
func groupedByVariables(didFinish: @escaping FlowDidFinishBlock) -> Flow {
  let creator: FlowOperationCreator.Type = UploadOp.self
  let first: FlowGroupDispatcher = FlowArrayGroupDispatcher(inputKey: "left", outputKey: "leftURLs")
  var dispatchers: [FlowGroupDispatcher] = [first]
  dispatchers.append(FlowArrayGroupDispatcher(inputKey: "right", outputKey: "rightURLs", allowFailure: true))
  let flow = Flow()
  flow.setDataBucket(dataBucket: ["left": ["a", "b"], "right": ["c"]])
  for dispatcher in dispatchers {
    flow.addGrouped(operationCreator: creator, dispatcher: dispatcher)
  }
  flow.setDidFinishBlock(block: didFinish)
  return flow
}

func cases(target: String, didFinish: @escaping FlowDidFinishBlock) -> Flow {
  return Flow()
    .setDataBucket(dataBucket: ["target": target])
    .add(operation: PrintOp(message: "Step1"))
    .add(operation: PrintOp(message: "Step2A1"), flowCase: FlowCase(key: "target", value: "A"))
    .add(operation: PrintOp(message: "Step2A2"))
    .add(operation: PrintOp(message: "Step2B1"), flowCase: FlowCase(key: "target", value: "B"))
    .add(operation: PrintOp(message: "Step2B2"))
    .combine()
    .add(operation: PrintOp(message: "Step3"))
    .setDidFinishBlock(block: didFinish)
}

func casesByVariables(target: String, didFinish: @escaping FlowDidFinishBlock) -> Flow {
  let none: FlowCase? = nil
  let targets: [FlowCase] = ["A", "B"].map { FlowCase(key: "target", value: $0) }
  let flow = Flow().setDataBucket(dataBucket: ["target": target]).add(operation: PrintOp(message: "0"), flowCase: none)
  for target in targets {
    flow.add(operation: PrintOp(message: "case"), flowCase: target)
  }
  flow.combine().setDidFinishBlock(block: didFinish)
  return flow
}

/// A user's own words on top of the builder.
extension Flow {
  @discardableResult
  func addLogin() -> Flow {
    return add(operation: LoginOp()).add(operation: LoadProfileOp())
  }
}
