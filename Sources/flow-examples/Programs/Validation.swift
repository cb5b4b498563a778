import OperationFlow

extension FlowKey where Value == String {
  fileprivate static var email: Self { "email" }
  // A sensitive value is shown as <redacted> in every text, and is in no report. A flow also treats values whose names
  // end in words such as "password" or "token" in this way, even if their keys aren't sensitive.
  fileprivate static var password: Self { FlowKey("password", sensitive: true) }
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
  fileprivate static var userName: Self { "userName" }
}

private struct WrongPassword: Error, CustomStringConvertible {
  let email: String
  var description: String { "The password of \(email) is another one. Type it again." }
}

/// An operation that sends an email and a password to a simulated server, and gets a token.
private final class LoginOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.email) var email
  @FlowInput(.password) var password
  @FlowOutput(.token) var token

  override func run() async throws {
    try await Task.sleep(for: .milliseconds(20))
    guard password == "123456" else { throw WrongPassword(email: email) }
    token = "sdaftadagasg"
  }
}

/// An operation that turns a token into the user's name.
private final class LoadProfileOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.token) var token
  @FlowOutput(.userName) var userName

  override func run() async throws { userName = token.isEmpty ? "Guest" : "Superman" }
}

/// Finds errors before anything runs: the steps of a flow declare the keys that they read and write.
enum Validation {
  static func main() async throws {
    let login = Flow("Login").add(LoginOp()).add(LoadProfileOp())

    // Nothing sets the email.
    for problem in login.validate(with: ["password": "123456"]) { print(problem) }

    // Such a flow is refused, and runs nothing. The password is no text, which a typed key would not let you write.
    let refused = await login.run(with: ["email": "ann@example.org", "password": 123_456])
    print("refused after \(refused.report.stepCount) steps: \(refused.error.map { "\($0)" } ?? "it succeeded")")

    // Only the server can check the password. So the run fails with the error that the step throws.
    let wrong = await login.run { ($0[.email], $0[.password]) = ("ann@example.org", "654321") }
    print(wrong.report.summary(style: .brief), terminator: "")

    let right = await login.run { ($0[.email], $0[.password]) = ("ann@example.org", "123456") }
    print("then \(right.report[.userName] ?? "nobody") is logged in")
  }
}
