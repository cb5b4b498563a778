import Dispatch
import OperationFlow
import Testing

struct Account {
  let number: Int
  let password: String
}

extension Account: CustomRecordStringConvertible {
  var recordDescription: String { "account \(number)" }
}

@Suite(.watched) struct DocCommentTests {
  @Test func `an account is shown as it says`() async {
    let outcome = await Flow().set("account", to: Account(number: 7, password: "secret")).add("wait") { _ in }.run()
    #expect(outcome.report.summary.contains("account: account 7") && !outcome.report.summary.contains("secret"))
  }
}

extension FlowKey where Value == String {
  fileprivate static var greeting: Self { "greeting" }
}

/// The code of the documentation comments in `Sources`.
enum DocComments {
  final class GreetOp: FlowOperation, @unchecked Sendable {
    @FlowInput var visitor: String
    @FlowOutput var greeting: String?

    override func run() async throws {
      greeting = "Hello, \(visitor)"
      log(message: "greeted \(visitor)")
    }
  }

  final class WaitOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() {
      startWithAsynchronous()
      DispatchQueue.global().asyncAfter(deadline: .now() + 1) { self.finishSuccessfully() }
    }
  }

  final class LoadProfileOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class ResizeOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class WatermarkOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  static func aFlow() {
    Flow("Publish")
      .setDataBucket(dataBucket: ["email": "test@gmail.com", "password": "123456"])
      .add(LoginOp())
      .add(LoadProfileOp())
      .setDidFinishBlock { flow in print(flow.generateSummary()) }
      .start()
  }

  static func cases(of flow: Flow) {
    flow.cases(on: .target) {
      $0.when("web") { $0.add(ResizeOp()).add(WatermarkOp()) }
      $0.otherwise { $0.add(ResizeOp()) }
    }
  }

  static func traits(of flow: Flow) {
    flow
      .add(LoginOp(), .weight(3))
      .add("greet", .reads(.email), .writes(.greeting)) { context in
        context[.greeting] = try "Hello, \(context.require(.email))"
      }
  }

  static func typedData(of flow: Flow) async {
    let run = flow.start { $0[.user] = "ann" }
    _ = await run.outcome
  }

  static func awaitedTypedData(of flow: Flow) async {
    let outcome = await flow.run { $0[.user] = "ann" }
    _ = outcome
  }

  final class Inputs: FlowOperation, @unchecked Sendable {
    @FlowInput(.email) var email  // a String, as the key says
    @FlowInput var attempts: Int = 3  // named by the property, with a default
    @FlowInput var nickname: String?  // nil if it is missing
  }

  final class Outputs: FlowOperation, @unchecked Sendable {
    @FlowOutput(.token) var token  // a String?, nil until it is assigned
    @FlowOutput var count: Int?  // named by the property
  }
}
