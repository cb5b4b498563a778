// Where declarations are on the main actor by default, as in new app projects, operations and keys say `nonisolated`.

import OperationFlow

nonisolated extension FlowKey where Value == String {
  static var username: Self { "username" }
}

nonisolated final class WelcomeOp: FlowOperation, @unchecked Sendable {
  @FlowInput(.username) var username

  override func run() async throws { log(message: "welcome, \(username)") }
}

final class Model {
  var summary = ""

  func welcome() async {
    let outcome = await Flow("Welcome").set(.username, to: "Ann").add(WelcomeOp())
      .add("look") { context in context.log(try context.require(.username)) }
      .add("show") { @MainActor context async throws in self.summary = try context.require(.username) }
      .run()
    summary = outcome.report.summary
  }
}
