import Foundation
import OperationFlow

/// Turns an email and a password into an access token, after asking a simulated server.
private final class LoginOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    // A value that is missing or of another type has failed the operation by the time `getData` returns nil.
    guard let email: String = getData(name: "email"), let password: String = getData(name: "password") else { return }
    startWithAsynchronous()
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) {
      self.log(message: "the server has answered for \(email)")
      guard password == "123456" else { return self.finishWithError(error: LoginError.wrongPassword(email: email)) }
      self.setData(name: "accessToken", value: "sdaftadagasg")
      self.finishSuccessfully()
    }
  }
}

/// Turns an access token into the user's name.
private final class LoadProfileOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    guard let token: String = getData(name: "accessToken") else { return }
    setData(name: "userName", value: token.isEmpty ? "Guest" : "Superman")
    finishSuccessfully()
  }
}

extension Example {
  /// Runs both on the data, and calls the block on the main thread at the end.
  private static func logIn(with data: [String: any Sendable], didFinish: @escaping FlowDidFinishBlock) {
    Flow()
      .setDataBucket(dataBucket: data)
      // The one line that isn't from Flow-iOS, which printed these values in full.
      .markSensitive("password", "accessToken")
      .add(operation: LoginOp())
      .add(operation: LoadProfileOp())
      .setDidFinishBlock(block: didFinish)
      .start()
  }

  static let loginOldSuccess = Example(name: "login, old style: success") { output, finish in
    logIn(with: ["email": "test@gmail.com", "password": "123456"]) { flow in
      output.show(flow)
      let userName = flow.dataBucket["userName"] as? String
      finish { try expect(flow.isSuccess && userName == "Superman", "the second step has used what the first wrote") }
    }
  }

  /// The email is set under another name than the one that the operation reads.
  static let loginOldMissingData = Example(name: "login, old style: missing data") { output, finish in
    logIn(with: ["email_address": "test@gmail.com", "password": "123456"]) { flow in
      output.show(flow)
      let error = flow.error as? FlowError
      finish { try expect(error?.code == .missingData && error?.key == "email", "the email is missing") }
    }
  }

  /// The password is a number, but the operation reads a string.
  static let loginOldWrongType = Example(name: "login, old style: wrong type") { output, finish in
    logIn(with: ["email": "test@gmail.com", "password": 123456]) { flow in
      output.show(flow)
      let error = flow.error as? FlowError
      finish { try expect(error?.code == .mismatchedData && error?.key == "password", "the password is no string") }
    }
  }

  /// The operation fails with an error of its own, which the flow passes on unchanged.
  static let loginOldWrongPassword = Example(name: "login, old style: wrong password") { output, finish in
    logIn(with: ["email": "test@gmail.com", "password": "654321"]) { flow in
      output.show(flow)
      let error = flow.error as? LoginError
      finish { try expect(error == .wrongPassword(email: "test@gmail.com"), "it fails with the operation's error") }
    }
  }
}
