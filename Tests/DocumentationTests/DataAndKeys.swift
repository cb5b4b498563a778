import Foundation
import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == String {
  static var user: Self { "user" }
  static var password: Self { FlowKey("password", sensitive: true) }
}
extension FlowKey where Value == Int {
  static var logins: Self { "logins" }
}

enum DataAndKeys {
  static func greet(print: Printer) async -> FlowOutcome {
    let flow = Flow("Greeting")
      .set(.user, to: "ann")
      .set(.password, to: "secret")
      .add(GreetOp())
    let outcome = await flow.run { $0[.user] = "ben" }
    return outcome
  }

  final class GreetOp: FlowOperation, @unchecked Sendable {
    @FlowInput(.user) var user  // required
    @FlowInput var greeting: String = "Hello"  // with a default, under the name "greeting"
    @FlowInput var nickname: String?  // nil if it is missing
    @FlowOutput var message: String?  // written when the operation succeeds

    override func mainLogic() {
      message = "\(greeting), \(nickname ?? user)"
      finishSuccessfully()
    }
  }

  final class RenameOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() {
      guard let user: String = getData(name: "user") else { return }
      let suffix: String? = getData(name: "suffix", isOptional: true)
      setData(name: "user", value: user + (suffix ?? ""))
      finishSuccessfully()
    }
  }

  static func count(in flow: Flow) {
    flow.add("count", .reads(.user), .writes(.logins, .password)) { context in
      let user = try context.require(.user)
      context.update(.logins, default: 0) { $0 += 1 }
      context[.password] = nil
      context.log("\(user) has logged in \(context[.logins] ?? 0) times")
    }
  }

  static func afterwards(_ outcome: FlowOutcome, print: Printer) {
    let report = outcome.report
    print(report[.logins] ?? 0, report.data.keys.sorted())
  }
}

@Suite(.watched) struct DataAndKeysTests {
  private typealias Article = DataAndKeys

  @Test func `a run's own data comes over the flow's`() async {
    let outcome = await Article.greet(print: Printer())
    #expect(outcome.report.data["message"] as? String == "Hello, ben")
    #expect(outcome.report.summary.contains("password: <redacted>"))
    #expect(!outcome.report.summary.contains("secret"))
  }

  @Test func `an input with a default or an optional takes that for a missing or mistyped value`() async {
    let flow = Flow().add(Article.GreetOp())
    let full = await flow.run(with: ["user": "ann", "greeting": "Hi", "nickname": "annie"])
    #expect(full.report.data["message"] as? String == "Hi, annie")
    let mistyped = await flow.run(with: ["user": "ann", "greeting": 1, "nickname": 2])
    #expect(mistyped.report.data["message"] as? String == "Hello, ann")
  }

  @Test func `a declared input that is missing fails the operation without its work`() async throws {
    // The closure may write anything, so that the flow is not refused before it runs.
    let outcome = await Flow("Greeting").add("first") { _ in }.add(Article.GreetOp()).run()
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .missingData && error.key == "user")
    #expect(error.problem == "can't find <user> in data bucket")
    #expect(outcome.report.data.isEmpty)
  }

  @Test func `a value of another type fails the operation`() async throws {
    let outcome = await Flow("Greeting").add("first") { _ in }.add(Article.RenameOp()).run(with: ["user": 7])
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .mismatchedData && error.key == "user")
    #expect(error.problem == "<user> in data bucket is <7> with type <Int>, but NOT type <String>.")
  }

  @Test func `an optional read fails nothing`() async {
    let flow = Flow().add(Article.RenameOp())
    #expect(await flow.run(with: ["user": "ann", "suffix": 1]).report[.user] == "ann")
    #expect(await flow.run(with: ["user": "ann", "suffix": "a"]).report[.user] == "anna")
  }

  @Test func `a closure requires, updates and removes`() async {
    let print = Printer()
    let flow = Flow().set(.user, to: "ann").set(.password, to: "secret")
    Article.count(in: flow)
    Article.count(in: flow)
    let outcome = await flow.run()
    #expect(outcome.report.summary.contains("[count] ann has logged in 2 times"))
    Article.afterwards(outcome, print: print)
    #expect(print.texts == [#"2 ["logins", "user"]"#])
    let alone = Flow()
    Article.count(in: alone)
    #expect((await alone.run().error as? FlowError)?.code == .missingData)
  }

  @Test func `an optional is stored unwrapped, and values are not converted`() async {
    let outcome = await Flow()
      .setData(name: "optional", value: Optional("text"))
      .setData(name: "gone", value: "text").setData(name: "gone", value: String?.none)
      .set(.logins, to: 1).add("end") { _ in }.run()
    #expect(outcome.report.data["optional"] as? String == "text")
    #expect(outcome.report.data["gone"] == nil)
    #expect(outcome.report[FlowKey<Double>("logins")] == nil)
  }

  @Test func `marked names are redacted though they come as plain strings`() async {
    let flow = Flow().markSensitive("password").setDataBucket(dataBucket: ["password": "secret"]).add("end") { _ in }
    let outcome = await flow.run(with: ["password": "hidden"])
    #expect(outcome.report.summary.contains("password: <redacted>"))
    #expect(!outcome.report.summary.contains("secret") && !outcome.report.summary.contains("hidden"))
    let written = await Flow().add("write") { $0.set(.password, to: "secret") }.run()
    #expect(!written.report.summary.contains("secret"))
  }

  @Test func `a record keeps a bounded text`() async {
    let outcome = await Flow()
      .setDataBucket(dataBucket: ["long": String(repeating: "x", count: 5000), "data": Data(count: 3)])
      .add("end") { _ in }.run()
    #expect(outcome.report.summary.contains("long: " + String(repeating: "x", count: 1000) + "…\n"))
    #expect(outcome.report.summary.contains("data: <3 bytes>"))
  }

  @Test func `a late write is ignored with a warning`() async {
    let operation = Article.RenameOp()
    let flow = Flow().add(operation: operation).add("later") { _ in operation.setData(name: "late", value: 1) }
    let outcome = await flow.run(with: ["user": "ann"])
    #expect(outcome.report.data["late"] == nil)
    #expect(outcome.report.summary.contains("[RenameOp] warning: <late> was written after the finish: ignored"))
  }
}
