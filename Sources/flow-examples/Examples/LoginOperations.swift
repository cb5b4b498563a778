import Dispatch
import OperationFlow

// A key is a name with the type of its value. A sensitive one is shown as <redacted> in every text.
extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var password: Self { FlowKey("password", sensitive: true) }
  static var accessToken: Self { FlowKey("accessToken", sensitive: true) }
  static var userName: Self { "userName" }
}

/// Turns an email and a password into an access token, after asking a server that is only pretended.
final class LoginOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    // A value that is missing or of another type has failed the operation by the time `getData` returns nil.
    guard let email: String = getData(name: .email), let password: String = getData(name: .password) else { return }
    startWithAsynchronous()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
      self.log(message: "the server has answered for \(email)")
      guard password == "123456" else { return self.finishWithError(error: LoginError.wrongPassword(email: email)) }
      self.setData(name: .accessToken, value: "sdaftadagasg")
      self.finishSuccessfully()
    }
  }
}

/// Turns an access token into the user's name.
final class LoadProfileOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let token: String = getData(name: .accessToken) else { return }
    setData(name: .userName, value: token.isEmpty ? "Guest" : "Superman")
    finishSuccessfully()
  }
}

/// Why a login fails.
enum LoginError: Error, Hashable, CustomStringConvertible {
  case wrongPassword(email: String)

  var description: String {
    switch self {
    case .wrongPassword(let email): "The password of \(email) is another one. Type it again."
    }
  }
}
