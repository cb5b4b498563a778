// Code as a user of Flow-iOS writes it: with this one import, and nothing else.
// swift-format-ignore-file: NeverUseImplicitlyUnwrappedOptionals
// Flow-iOS's users declare their operations' parameters this way, which has to compile.
import Flow_iOS

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
        self.setData(name: "token", value: "t-1")
        self.finishSuccessfully()
      } else {
        let error = NSError(domain: "no such account", code: 404, userInfo: nil)
        self.finishWithError(error: error)
      }
    }
    startWithAsynchronous()
  }
}

class LoadProfileOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let token: String = getData(name: "token") else { return }
    let nickname: String? = getData(name: "nickname", isOptional: true)
    DispatchQueue.main.async {
      self.setData(name: "greeting", value: "hello " + (nickname ?? "stranger") + " of " + token)
      self.setData(name: "loadedAt", value: Date())
      self.finishSuccessfully()
    }
    startWithAsynchronous()
  }
}

/// Finishes at once if an earlier step did the work.
class LoadListOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    if let isLoaded: Bool = getData(name: "isLoaded", isOptional: true), isLoaded {
      finishSuccessfully()
      return
    }
    setData(name: "list", value: ["from the server"])
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
      self.log(message: "uploaded " + image)
      self.setData(name: self.primaryOutputParamKey, value: "url_of_" + image)
      self.finishSuccessfully()
    }
    startWithAsynchronous()
  }
}

/// A base class of a user's own, as apps have one.
class ReportingOp: FlowOperation, @unchecked Sendable {
  func fail(_ reason: String) {
    finishWithError(error: NSError(domain: reason, code: 1, userInfo: [NSLocalizedDescriptionKey: reason]))
  }
}

class RejectOp: ReportingOp, @unchecked Sendable {
  override func mainLogic() {
    fail("rejected")
  }
}

/// Runs a given closure.
class CustomOp: FlowOperation, @unchecked Sendable {
  var logic: ((CustomOp) -> Void)!

  init(name: String? = nil, logic: @escaping (CustomOp) -> Void) {
    self.logic = logic
    super.init()
    self.name = name
  }

  override func mainLogic() {
    logic(self)
  }
}
