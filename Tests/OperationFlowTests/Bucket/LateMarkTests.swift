import TestSupport
import Testing

@testable import OperationFlow

/// A name that turns out to be sensitive is so for the whole run, whenever that is.
@Suite(.watched) struct LateMarkTests {
  private static let secret = "hunter2"
  private let plain = FlowKey<String>("token")
  private let sensitive = FlowKey<String>("token", sensitive: true)

  /// Every text that can be had of a run.
  private func texts(_ outcome: FlowOutcome) -> String {
    var texts = ["\(outcome)", "\(outcome.error as Any)", outcome.report.summary, "\(outcome.report)"]
    texts += outcome.report.itemFailures.map { "\($0) \($0.error) \($0.path as Any)" }
    texts += outcome.report.events.map { "\($0) \($0.path as Any) \($0.source)" }
    texts.append("\((outcome.error as? FlowError)?.path as Any)")
    for value in [outcome, outcome.report, outcome.report.itemFailures] as [Any] {
      var text = ""
      dump(value, to: &text)
      texts.append(text)
    }
    return texts.joined(separator: "\n")
  }

  private func isHidden(_ outcome: FlowOutcome) -> Bool { !texts(outcome).contains(Self.secret) }

  @Test func `a chosen case, and the paths behind it`() async {
    let outcome = await Flow().set(plain, to: Self.secret)
      .cases(on: plain) { $0.when(Self.secret) { $0.add("x") { _ in } } }
      .add("mark") { [sensitive] in $0[sensitive] = "other" }.run()
    #expect(isHidden(outcome))
    #expect(outcome.report.lines.contains("[Cases] chosen: token=<redacted>"))
    #expect(outcome.report.events.contains { $0.path == "1. Cases > token=<redacted> > 1. x" })
  }

  @Test func `what the keys held if no case matched`() async {
    let inner = Flow("in").cases(on: plain) { $0.when("no") { $0.add("x") { _ in } } }
    let outcome = await Flow().set(plain, to: Self.secret).add("first") { _ in }.add(flow: inner)
      .add("mark") { [sensitive] in $0[sensitive] = "other" }.run()
    #expect(isHidden(outcome))
    #expect(outcome.report.lines.contains("[Cases] no case is matched. finished in early. <token> is <redacted>."))
  }

  @Test func `a failed read of an item, and of the run`() async {
    let outcome = await Flow().set(plain, to: Self.secret)
      .forEach(in: 0..<2, tolerating: .all) { _, context in _ = try context.require("token" as FlowKey<Int>) }
      .add("fails") { [sensitive] context in
        defer { context[sensitive] = "other" }
        _ = try context.require("token" as FlowKey<Int>)
      }.run()
    #expect((outcome.error as? FlowError)?.code == .mismatchedData)
    #expect(outcome.report.itemFailures.count == 2)
    #expect(isHidden(outcome))
  }

  @Test func `a second end that was ignored`() async {
    let outcome = await Flow().set(plain, to: Self.secret)
      .step { operation in
        operation.finishSuccessfully()
        let _: Int? = operation.getData(name: "token")
      }
      .add("mark") { [sensitive] in _ = $0[sensitive] }.run()
    #expect(outcome.report.lines.contains { $0.contains("finished again: ignored") })
    #expect(isHidden(outcome))
  }

  @Test(arguments: 0..<5) func `a key that is only read with the sensitive one`(way: Int) async {
    final class ReadsOp: FlowOperation, @unchecked Sendable {
      let requires: Bool
      init(requires: Bool) { self.requires = requires }
      override func run() async throws {
        let key = FlowKey<String>("token", sensitive: true)
        if requires { _ = try require(key) } else { _ = getData(name: key) as String? }
      }
    }
    let key = sensitive
    let flow = Flow()
    switch way {
    case 0: flow.add("reads", .reads(key)) { _ in }
    case 1: flow.add("reads") { _ = $0[key] }
    case 2: flow.add("reads") { _ = try $0.require(key) }
    case 3: flow.add(ReadsOp(requires: true))
    default: flow.add(ReadsOp(requires: false))
    }
    let outcome = await flow.run(with: ["token": Self.secret])
    #expect(outcome.isSuccess)
    #expect(isHidden(outcome))
  }

  @Test(arguments: [true, false]) func `a name that is marked or set within a branch`(marks: Bool) async {
    let outcome = await Flow().set(plain, to: Self.secret).set("k" as FlowKey<String>, to: "a")
      .cases(on: "k") {
        $0.when("a") { branch in
          if marks { branch.markSensitive("token") } else { branch.set(sensitive, to: "unused") }
          branch.add("x") { _ in }
        }
      }.run()
    #expect(isHidden(outcome))
    #expect(outcome.report[plain] == Self.secret)
  }

  /// Lets a test go on in the middle of a value's being described.
  private final class Slow: CustomStringConvertible, Sendable {
    let whenDescribed: @Sendable () -> Void
    init(_ whenDescribed: @escaping @Sendable () -> Void) { self.whenDescribed = whenDescribed }
    var description: String {
      whenDescribed()
      return "slow"
    }
  }

  @Test func `a mark that comes while a start looks at its data`() async {
    let flow = Flow().add("x") { _ in }
    let slow = Slow { flow.markSensitive("token") }
    let outcome = await flow.start(with: ["slow": slow, "token": Self.secret]).outcome
    #expect(isHidden(outcome))
    #expect(outcome.report.summary.contains("token: <redacted>"))
  }

  @Test func `a mark that comes while the bucket is set`() async {
    let (isSet, isMarked) = (Signal(), Signal())
    let flow = Flow().add("mark") { [sensitive] context in
      await isSet.wait()
      context[sensitive] = "mine"
      isMarked.fire()
    }.add("plain") { context in context["token" as FlowKey<String>] = LateMarkTests.secret + "!" }
    let run = flow.start()
    flow.setDataBucket(dataBucket: ["slow": Slow {}, "token": Self.secret])
    isSet.fire()
    await isMarked.wait()
    #expect(isHidden(await run.outcome))
  }

  @Test func `marks and writes of many threads`() async {
    for _ in 0..<50 {
      let recorder = Recorder()
      let bucket = DataBucket([:], sensitiveNames: [], recorder: recorder)
      await atOnce(
        { for _ in 0..<20 { bucket.write(Self.secret, named: "token") } },
        { bucket.replaceAll(["token": Self.secret]) }, { bucket.markSensitive(["token"]) },
        { for _ in 0..<20 { bucket.update("token" as FlowKey<String>, default: Self.secret) { $0 += "!" } } })
      #expect(!recorder.events.contains { "\($0)".contains(Self.secret) })
      #expect(!bucket.listing().contains { $0.text.contains(Self.secret) })
    }
  }

  @Test func `a marked value is never described`() async {
    let asked = Tally()
    let value = Slow { asked.add() }
    let outcome = await Flow().markSensitive("token", "tokens").setDataBucket(dataBucket: ["token": value])
      .step { operation in
        operation.setData(name: "token", value: value)
        let _: Int? = operation.getData(name: "token", isOptional: true)
        operation.finishSuccessfully()
      }
      .add("writes") { context in
        context["token" as FlowKey<Slow>] = value
        context.update("token" as FlowKey<Slow>, default: value) { $0 = value }
      }
      .cases(on: "token") { $0.otherwise { $0.add("x") { _ in } } }
      .forEach(in: [1], into: "tokens" as FlowKey<[Slow]>) { _, _ in value }
      .add("fails") { context in _ = try context.require("token" as FlowKey<Int>) }
      .run()
    #expect((outcome.error as? FlowError)?.code == .mismatchedData)
    _ = texts(outcome)
    #expect(asked.count == 0)
  }

  @Test func `a note after a run in which the name became sensitive`() async {
    let flow = Flow().add("mark") { [sensitive] in $0[sensitive] = "mine" }
    _ = await flow.run()
    flow.setData(name: "token", value: Self.secret)
    #expect(!flow.generateSummary().contains(Self.secret))
  }

  @Test func `what an observer is told from the mark on`() async {
    let seen = Journal<String>()
    let outcome = await Flow().observe { seen.append("\($0) \($0.path as Any)") }
      .add("mark") { [sensitive, plain] context in
        _ = context[sensitive]
        context[plain] = Self.secret
        context[plain] = nil
      }.run()
    #expect(outcome.isSuccess)
    #expect(!seen.entries.joined().contains(Self.secret))
  }

  @Test func `what items say of what they are given and leave, when the group's keys turn out to be sensitive`() async {
    final class EchoOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation { EchoOp() }
      override var primaryInputParamKey: String { "item" }
      override var primaryOutputParamKey: String { "output" }
      override func mainLogic() {
        guard let item: String = getData(name: "item") else { return }
        setData(name: "output", value: item)
        setData(name: "item", value: "other")
        setData(name: "output", value: item + "!")
        if item.hasSuffix("0") { let _: Int? = getData(name: "output") }
        finishSuccessfully()
      }
    }
    let (secrets, echoes) = (FlowKey<[String]>("secrets"), FlowKey<[String]>("echoes"))
    let outcome = await Flow().set(secrets, to: [Self.secret + "0", Self.secret + "1"])
      .forEach(secrets, into: echoes, tolerating: .all, run: EchoOp.self)
      .add("mark") { context in
        _ = context[FlowKey<[String]>("secrets", sensitive: true)]
        _ = context[FlowKey<[String]>("echoes", sensitive: true)]
      }.run()
    #expect(outcome.isSuccess && outcome.report.itemFailures.count == 1)
    #expect(outcome.report.lines.contains("[EchoOp #1] replace for item: <redacted> -> <redacted>"))
    #expect(isHidden(outcome))
  }
}
