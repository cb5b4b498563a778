// Code as a user of Flow-iOS writes it, in both language modes: values in the bucket are `Any`.
// swift-format-ignore-file: NeverForceUnwrap
import Flow_iOS

/// A model as such apps have them: a class that any part of the app changes.
class Snapshot {
  var title: String
  init(title: String) { self.title = title }
}

class ScaleOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation {
    return ScaleOp()
  }

  override var primaryInputParamKey: String { return "target" }
  override var primaryOutputParamKey: String { return "scaled" }

  override func mainLogic() {
    guard let image: String = getData(name: primaryInputParamKey) else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
      self.setData(name: self.primaryOutputParamKey, value: "scaled_" + image)
      self.finishSuccessfully()
    }
    startWithAsynchronous()
  }
}

/// Writes values of every kind.
class TakeOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    let snapshot = Snapshot(title: "cover")
    let anything: Any = snapshot
    let nothing: String? = nil
    let something: String? = "there"
    setData(name: "snapshot", value: snapshot)
    setData(name: "snapshots", value: [snapshot, Snapshot(title: "back")])
    setData(name: "anything", value: anything)
    setData(name: "mixed", value: ["a", 1, Date(timeIntervalSince1970: 0)] as [Any])
    setData(name: "literal", value: ["a", 1])
    setData(name: "options", value: ["suffix": "!", "count": 2] as [String: Any])
    setData(name: "closure", value: { (text: String) -> String in text + "?" })
    setData(name: "gone", value: nothing as Any)
    setData(name: "something", value: something as Any)
    finishSuccessfully()
  }
}

/// Reads the values of `TakeOp`.
class ShowOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let snapshots: [Snapshot] = getData(name: "snapshots") else { return }
    guard let options: [String: Any] = getData(name: "options") else { return }
    guard let closure: (String) -> String = getData(name: "closure") else { return }
    for snapshot in snapshots {
      snapshot.title += options["suffix"] as! String
    }
    if let anything: Any = getData(name: "anything", isOptional: true) {
      setData(name: "copy", value: anything)
    }
    setData(name: "question", value: closure(snapshots[1].title))
    finishSuccessfully()
  }
}

func scaled(allowFailure: Bool) -> Flow {
  return Flow()
    .setDataBucket(dataBucket: ["images": ["a", "b", "c", 1], "target": "A"])
    .addGrouped(
      operationCreator: ScaleOp.self,
      dispatcher: FlowArrayGroupDispatcher(
        inputKey: "images", outputKey: "scaledImages", maxConcurrentOperationCount: 3, allowFailure: allowFailure))
}

func taken(from data: [String: Any]) -> Flow {
  var all = data
  all["later"] = Snapshot(title: "later")
  all["options"] = ["unused": [1, "2"] as [Any]] as [String: Any]
  return Flow()
    .setDataBucket(dataBucket: all)
    .add(operation: TakeOp())
    .add(operation: ShowOp())
}

/// Uses the bucket as the dictionary of `Any` that it is to its users.
func changedByHand() -> Flow {
  let flow = Flow()
  let number: Any = 5
  flow.setData(name: "number", value: number)
  flow.setData(name: "list", value: [1, "2"])
  flow.setData(name: "snapshot", value: Snapshot(title: "s"))
  flow.dataBucket["other"] = Snapshot(title: "o")
  flow.dataBucket["number"] = (flow.dataBucket["number"] as! Int) + 1
  var copy = flow.dataBucket
  copy["copied"] = ["a", 1] as [Any]
  flow.dataBucket = copy
  let plain: [String: Any] = flow.dataBucket
  flow.dataBucket = plain
  addDate(to: &flow.dataBucket)
  flow.dataBucket.merge(["merged": true]) { $1 }
  flow.dataBucket.removeValue(forKey: "list")
  return flow
}

private func addDate(to bucket: inout [String: Any]) {
  bucket["date"] = Date(timeIntervalSince1970: 0)
}
