import Foundation
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

  static func parallel(_ flow: Flow) {
    flow.parallel {
      $0.branch("thumbnails") { $0.add(ThumbnailsOp()) }
      $0.branch("metadata") { $0.add(ScanOp()).add(TagOp()) }
    }
  }

  static func always(_ flow: Flow) {
    flow.always { $0.add(CleanUpOp()) }
  }

  final class CleanUpOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class ThumbnailsOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class ScanOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  final class TagOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() { finishSuccessfully() }
  }

  static func when(_ flow: Flow) {
    flow.add("notify", .when { $0[.links] != nil }, .writesNothing) { context in
      context.log("\(context[.links]?.count ?? 0) links")
    }
  }

  static func traits(of flow: Flow) {
    flow
      .add(LoginOp(), .weight(3))
      .add("greet", .reads(.email), .writes(.greeting)) { context in
        context[.greeting] = try "Hello, \(context.require(.email))"
      }
  }

  static func retries(of flow: Flow) {
    flow.add(LoginOp(), .retry(.attempts(3)))
    flow.add(LoginOp(), .retry(.exponential(attempts: 5, first: .milliseconds(200), limit: .seconds(10))))
  }

  struct BusyError: FlowRetryDelaying {
    let retryDelay: Duration?
  }

  static func limits(of flow: Flow, upload: @escaping @Sendable (URL) async throws -> Void) {
    let uploads = FlowLimiter(atMost: 4, starts: 10, per: .seconds(1))
    flow.forEach(.photos, width: 100, .limited(by: uploads)) { photo, _ in try await upload(photo) }
  }

  static func results(words: [String]) async throws -> FlowRun {
    let lengths = FlowResults<Int>()
    let run = Flow("Lengths")
      .forEach(in: words, width: 8, .results(to: lengths)) { word, _ in word.count }
      .start()
    for try await (index, result) in lengths { print(index, result.output ?? 0) }
    return run
  }

  static func firstResult(of lengths: FlowResults<Int>) async throws {
    for try await (index, result) in lengths where result.isSuccess {
      print("the first is", index)
      break
    }
    lengths.finish()
  }

  static func nothing(in flow: Flow) {
    flow.cases(on: .target) {
      $0.when("web") { $0.add(ResizeOp()) }
      $0.otherwise { $0.addNothing() }
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
