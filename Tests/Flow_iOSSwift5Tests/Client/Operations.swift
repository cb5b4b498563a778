// Code as a user of Flow-iOS writes it: with this one import, and nothing else.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals, NeverForceUnwrap
// Flow-iOS's users declare their operations' parameters and cast this way, which has to compile.
import Flow_iOS

/// A model as such apps have them: a class that any part of the app changes.
class Photo {
  var title: String
  init(title: String) { self.title = title }
}

class PrintOp: FlowOperation, @unchecked Sendable {
  var message: String!

  init(message: String) {
    self.message = message
  }

  override func mainLogic() {
    log(message: message)
    finishSuccessfully()
  }
}

class LoginOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let email: String = getData(name: "email") else { return }
    guard let password: String = getData(name: "password") else { return }

    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(2)) {
      self.log(message: "the server has answered")
      if email == "a@b.c" && password == "123456" {
        let token: Any = "t-1"
        self.setData(name: "token", value: token)
        self.finishSuccessfully()
      } else {
        self.finishWithError(error: NSError(domain: "no such account", code: 404, userInfo: nil))
      }
    }
    startWithAsynchronous()
  }
}

class LoadPhotosOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    if let isLoaded: Bool = getData(name: "isLoaded", isOptional: true), isLoaded {
      finishSuccessfully()
      return
    }
    DispatchQueue.main.async {
      let photos = [Photo(title: "a"), Photo(title: "b")]
      self.setData(name: "isLoaded", value: true)
      self.setData(name: "photos", value: photos)
      self.setData(name: "cover", value: photos[0])
      self.setData(name: "mixed", value: ["a", 1, Date()] as [Any])
      self.setData(name: "loadedAt", value: Date())
      self.finishSuccessfully()
    }
    startWithAsynchronous()
  }
}

/// Reads objects, closures, dictionaries and `Any` from the bucket.
class RenamePhotosOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let photos: [Photo] = getData(name: "photos") else { return }
    guard let options: [String: Any] = getData(name: "options") else { return }
    let suffix = options["suffix"] as! String
    for photo in photos {
      photo.title += suffix
    }
    if let anything: Any = getData(name: "anything", isOptional: true) {
      setData(name: "copy", value: anything)
    }
    let notify: (([Photo]) -> Void)? = getData(name: "notify", isOptional: true)
    notify?(photos)
    finishSuccessfully()
  }
}

class UploadOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation {
    return UploadOp()
  }

  override var primaryInputParamKey: String { return "image" }
  override var primaryOutputParamKey: String { return "url" }

  override func mainLogic() {
    guard let image: String = getData(name: primaryInputParamKey) else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
      self.setData(name: self.primaryOutputParamKey, value: "url_of_" + image)
      self.finishSuccessfully()
    }
    startWithAsynchronous()
  }
}

/// Describes a state.
///
/// Both switches are exhaustive with the cases that Flow-iOS has, without a `default`.
func describe(_ state: FlowOperationState) -> String {
  switch state {
  case .idle: return "idle"
  case .executing: return "executing"
  case .finished(.successfully): return "successfully"
  case .finished(.withError(let error)): return "withError \((error as NSError).domain)"
  case .finished(.withInsufficientInputData(let message)): return message
  case .finished(.withMismatchInputDataType(let message)): return message
  }
}
