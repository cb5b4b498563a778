import OperationFlow

// A key is a name with the type of its value. A sensitive one is shown as <redacted> in every text.
extension FlowKey where Value == String {
  static var email: Self { "email" }
  static var password: Self { FlowKey("password", sensitive: true) }
  static var accessToken: Self { FlowKey("accessToken", sensitive: true) }
  static var userName: Self { "userName" }
}

/// Turns an email and a password into an access token, after asking a simulated server.
private final class LoginOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.email) var email
  @FlowInput(.password) var password
  @FlowOutput(.accessToken) var accessToken

  override func run() async throws {
    try await Task.sleep(for: .milliseconds(50))
    log(message: "the server has answered for \(email)")
    guard password == "123456" else { throw LoginError.wrongPassword(email: email) }
    accessToken = "sdaftadagasg"
  }
}

/// Turns an access token into the user's name.
private final class LoadProfileOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.accessToken) var accessToken
  @FlowOutput(.userName) var userName

  override func run() async throws {
    userName = accessToken.isEmpty ? "Guest" : "Superman"
  }
}

extension Example {
  private static func login() -> Flow { Flow("Login").add(LoginOp()).add(LoadProfileOp()) }

  static let loginNewSuccess = Example(name: "login, new style: success") { output in
    let flow = login().set(.email, to: "test@gmail.com").set(.password, to: "123456")
    switch await flow.run() {
    case .succeeded(let report):
      output.show(report.record)
      try expect(report[.userName] == "Superman", "the second step has used what the first wrote")
    case .failed(let error, _): throw error
    case .cancelled: throw CancellationError()
    }
  }

  /// Nothing sets the email, which is known before anything runs.
  static let loginNewMissingData = Example(name: "login, new style: missing data") { output in
    let flow = login().set(.password, to: "123456")
    let problems = flow.validate()
    for problem in problems { output.show("\(problem)") }
    try expect(problems.map(\.key) == ["email"], "the one problem is the email")

    let outcome = await flow.run()
    output.show(outcome)
    try expect(!outcome.isSuccess && outcome.report.stepCount == 0, "such a flow is refused, and runs nothing")
  }

  /// The password is a number, but a string is declared.
  static let loginNewWrongType = Example(name: "login, new style: wrong type") { output in
    // `set(.password, to: 123456)` would not compile; a plain name has no type.
    let outcome = await login().set(.email, to: "test@gmail.com").run(with: ["password": 123456])
    output.show(outcome)
    let error = outcome.error as? FlowError
    try expect(error?.code == .mismatchedData && error?.key == "password", "the password is no string")
  }

  /// The run fails with the error that an operation throws.
  static let loginNewWrongPassword = Example(name: "login, new style: wrong password") { output in
    let outcome = await login().set(.email, to: "test@gmail.com").set(.password, to: "654321").run()
    output.show(outcome)
    let error = outcome.error as? LoginError
    try expect(error == .wrongPassword(email: "test@gmail.com"), "it fails with the operation's error")
  }
}
