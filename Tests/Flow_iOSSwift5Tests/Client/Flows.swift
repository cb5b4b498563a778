// swift-format-ignore-file: NeverForceUnwrap, NoEmptyTrailingClosureParentheses
// Flow-iOS's users read the bucket and spell their blocks this way, which has to compile.
import Flow_iOS

/// An app's own object, on no actor, that stores blocks and state.
class LoginController {
  var texts: [String] = []
  var summary = ""
  var willStart: FlowWillStartBlock?
  var didFinish: FlowDidFinishBlock?

  func commonWillStartBlock(block: FlowWillStartBlock? = nil) -> FlowWillStartBlock {
    let result: FlowWillStartBlock = {
      flow in
      block?(flow)
      self.texts.append("starting")
    }
    return result
  }

  func commonDidFinishBlock(block: FlowDidFinishBlock? = nil) -> FlowDidFinishBlock {
    let result: FlowDidFinishBlock = {
      flow in
      block?(flow)
      self.summary = flow.generateSummary()
      self.didFinish?(flow)
    }
    return result
  }

  func login(data: [String: Any]) {
    Flow()
      .setDataBucket(dataBucket: data)
      .add(operation: LoginOp())
      .setWillStartBlock(block: commonWillStartBlock(block: willStart))
      .setDidFinishBlock(
        block: commonDidFinishBlock() {
          flow in
          if flow.isSuccess {
            self.texts.append("welcome \(flow.dataBucket["email"]!)")
          } else {
            self.texts.append("failed")
          }
        }
      )
      .start()
  }
}

/// Calls back as a repository of an app does, with objects and a closure that aren't sendable.
class PhotoRepository {
  static var shared = PhotoRepository()
  var loadCount = 0

  func loadPhotos(completion: @escaping ((_ photos: [Photo], _ error: Error?) -> Void)) {
    Flow()
      .add(operation: LoadPhotosOp())
      .setDidFinishBlock(block: { flow in
        self.loadCount += 1
        if let photos = flow.dataBucket["photos"] as? [Photo] {
          DispatchQueue.main.async { completion(photos, nil) }
        } else {
          DispatchQueue.main.async { completion([], flow.error) }
        }
      })
      .start()
  }
}

/// Creates a flow with values of every kind, nested and mixed, in a dictionary of `Any` and in literals.
func renaming(notify: @escaping ([Photo]) -> Void, didFinish: @escaping FlowDidFinishBlock) -> Flow {
  var data: [String: Any] = ["options": ["suffix": "!", "count": 2] as [String: Any], "isLoaded": false]
  data["notify"] = notify
  data["anything"] = Photo(title: "kept")
  return Flow()
    .setDataBucket(dataBucket: data)
    .add(operation: LoadPhotosOp())
    .add(operation: RenamePhotosOp())
    .setDidFinishBlock(block: didFinish)
}

func grouped(didFinish: @escaping FlowDidFinishBlock) -> Flow {
  return Flow()
    .setDataBucket(dataBucket: ["images": ["a", "b", "c", "d", 1]])
    .addGrouped(
      operationCreator: UploadOp.self,
      dispatcher: FlowArrayGroupDispatcher(
        inputKey: "images", outputKey: "urls", maxConcurrentOperationCount: 3, allowFailure: true)
    )
    .setDidFinishBlock(block: didFinish)
}

func cases(didFinish: @escaping FlowDidFinishBlock) -> Flow {
  let caseB = FlowCase(key: "target", value: "B")
  return Flow()
    .setDataBucket(dataBucket: ["images": ["a", "b", 1], "target": "B"])
    .add(operation: PrintOp(message: "Step1"))
    .add(operation: PrintOp(message: "Step2A"), flowCase: FlowCase(key: "target", value: "A"))
    .add(operation: PrintOp(message: "Step2B"), flowCase: caseB)
    .combine()
    .add(operation: PrintOp(message: "Step3"))
    .setDidFinishBlock(block: didFinish)
}

/// Uses a bucket as the dictionary of `Any` that it is to its users.
func bucketByHand() -> Flow {
  let flow = Flow()
  let anything: Any = ["a", 1]
  flow.setData(name: "anything", value: anything)
  flow.setData(name: "list", value: [1, "2"])
  flow.dataBucket["photo"] = Photo(title: "p")
  flow.dataBucket["count"] = 1
  flow.dataBucket["count"] = (flow.dataBucket["count"] as! Int) + 1
  var copy = flow.dataBucket
  copy["photo2"] = Photo(title: "q")
  flow.dataBucket = copy
  let plain: [String: Any] = flow.dataBucket
  flow.dataBucket = plain
  addDate(to: &flow.dataBucket)
  flow.dataBucket.merge(["merged": true]) { $1 }
  return flow
}

private func addDate(to bucket: inout [String: Any]) {
  bucket["date"] = Date()
}
