import Foundation
import TestSupport
import Testing

@testable import OperationFlow

private let secret = "hunter2"
private let plain = FlowKey<String>("token")
private let sensitive = FlowKey<String>("token", sensitive: true)

/// An operation that reads a sensitive key, in one of two ways.
private final class ReadsOp: FlowOperation, @unchecked Sendable {
  private let requires: Bool
  init(requires: Bool) { self.requires = requires }
  override func run() async throws {
    if requires { _ = try require(sensitive) } else { _ = getData(name: sensitive) as String? }
  }
}
private final class DeclaringOp: FlowOperation, @unchecked Sendable {
  @FlowInput(FlowKey<String>("token", sensitive: true)) var token
  override func run() async {}
}

/// An item that writes a secret by a sensitive key, as its output.
private final class TokenOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { TokenOp() }
  @FlowInput var item: Int
  override var primaryOutputParamKey: String { "token" }
  override func run() async { setData(name: sensitive, value: secret) }
}
/// An item that declares that its output is sensitive.
private final class DeclaringItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { DeclaringItemOp() }
  @FlowInput var item: Int
  @FlowOutput(FlowKey<String>("token", sensitive: true)) var token
  override func run() async { token = secret }
}
private final class FailingItemOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { FailingItemOp() }
  @FlowInput(FlowKey<String>("item", sensitive: true)) var item
  override func run() async throws { throw TestError(name: "no") }
}
/// An operation that outputs its item twice, and fails if the item ends with 0.
private final class EchoOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
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

/// No text of a run contains the value of a sensitive key, no matter when the key is marked as sensitive.
@Suite(.watched) struct SensitiveTests {
  /// Returns every text that a run offers, joined.
  private func texts(_ outcome: FlowOutcome) -> String {
    var texts = outcome.report.lines + [outcome.report.summary, "\(outcome)", "\(outcome.report)"]
    texts.append(outcome.error.map { "\($0) \($0.localizedDescription) \(($0 as? FlowError)?.path as Any)" } ?? "")
    texts += outcome.report.itemFailures.map { "\($0) \($0.error) \($0.path as Any)" }
    texts += outcome.report.events.map { "\($0) \($0.path as Any) \($0.source)" }
    for value in [outcome, outcome.report, outcome.report.itemFailures] as [Any] {
      var text = ""
      dump(value, to: &text)
      texts.append(text)
    }
    return texts.joined(separator: "\n")
  }

  /// Runs a flow, and expects that its texts contain all expected ones, and nowhere the secret.
  @discardableResult
  private func hides(
    _ promise: String, _ flow: Flow, with data: [String: any Sendable] = [:], _ expected: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async -> FlowOutcome {
    let outcome = await flow.run(with: data)
    let texts = texts(outcome)
    #expect(!texts.contains(secret), "\(promise)", sourceLocation: sourceLocation)
    for text in expected { #expect(texts.contains(text), "\(promise)", sourceLocation: sourceLocation) }
    return outcome
  }

  /// Adds a step that marks the name as sensitive.
  private func marking(_ flow: Flow) -> Flow { flow.add("mark") { $0[sensitive] = "other" } }

  private let changes: @Sendable (BlockOp) -> Void = { operation in
    operation.setData(name: "token", value: secret + "!")
    operation.setData(name: "token", value: String?.none)
    operation.setData(name: "token", value: secret + "?")
    operation.finishSuccessfully()
  }

  // MARK: The bucket

  @Test func `not where values are listed, added, replaced and removed`() async {
    let data: [String: any Sendable] = ["token": secret]
    let outcome = await hides(
      "marked after the data", Flow().setDataBucket(dataBucket: data).markSensitive("token").step(nil, changes),
      "replace for token: <redacted> -> <redacted>", "remove for token: <redacted>", "add for token: <redacted>",
      "token: <redacted>")
    #expect(outcome.report[sensitive] == secret + "?")
    await hides("before it", Flow().markSensitive("token").setDataBucket(dataBucket: data).step(nil, changes))
    await hides("set by name", Flow().setData(name: "token", value: secret).markSensitive("token").step())
    await hides("set by a sensitive key", Flow().setData(name: sensitive, value: secret).step(nil, changes))
    let updates = Flow().add("update") { $0.update(sensitive, default: secret) { $0 += "!" } }
    await hides("updated", updates, with: ["token": secret], "token: <redacted>")
  }

  @Test func `not in the message of a mismatch, whichever key is sensitive`() async {
    let read: @Sendable (BlockOp) -> Void = { let _: Int? = $0.getData(name: "token") }
    await hides(
      "the writer's", Flow().setData(name: sensitive, value: secret).step(nil, read),
      "<token> in data bucket is <redacted> with type <String>")
    let wrong = FlowKey<Int>("token", sensitive: true)
    let outcome = await hides("the reader's", Flow().add("x") { _ = try $0.require(wrong) }, with: ["token": secret])
    #expect(outcome.code == .mismatchedData)
    #expect { try DataBucket(["token": secret]).require(wrong) } throws: { !"\($0)".contains(secret) }
    let writes = Flow().setDataBucket(dataBucket: [:]).step {
      $0.setData(name: sensitive, value: secret)
      $0.finishSuccessfully()
    }
    await hides("written before it was ever read", writes.step(nil, read))
    let late = Flow().set(plain, to: secret)
      .forEach(in: 0..<2, tolerating: .all) { _, context in _ = try context.require("token" as FlowKey<Int>) }
      .add("fails") { context in
        defer { context[sensitive] = "other" }
        _ = try context.require("token" as FlowKey<Int>)
      }
    let failed = await hides("of an item, and of the run, that is marked later", late)
    #expect(failed.code == .mismatchedData && failed.report.itemFailures.count == 2)
    let ignored = Flow().set(plain, to: secret).step { operation in
      operation.finishSuccessfully()
      let _: Int? = operation.getData(name: "token")
    }
    await hides("a second end that is ignored", marking(ignored), "finished again: ignored")
  }

  @Test func `not where cases are chosen, nor when none fits`() async {
    func cases(_ key: FlowKey<String>, _ value: String) -> Flow {
      Flow().add("first") { _ in }.add(operation: SuccessOp(), flowCase: FlowCase(key: key, value: value))
    }
    let data: [String: any Sendable] = ["token": secret]
    await hides("a chosen one", cases(plain, secret).set(sensitive, to: secret), "chosen: token=<redacted>")
    await hides("none fits", cases(plain, "other").set(sensitive, to: secret), "<token> is <redacted>.")
    await hides("only the case's key is", cases(sensitive, secret), with: data, "chosen: token=<redacted>")
    await hides("and none fits", cases(sensitive, "other"), with: data, "<token> is <redacted>.")
    let late = Flow().set(plain, to: secret).cases(on: plain) { $0.when(secret) { $0.add("x") { _ in } } }
    let outcome = await hides("marked later", marking(late), "[Cases] chosen: token=<redacted>")
    #expect(outcome.report.events.contains { $0.path == "1. Cases > token=<redacted> > 1. x" })
    let inner = Flow("in").cases(on: plain) { $0.when("no") { $0.add("x") { _ in } } }
    await hides(
      "none fits, marked later", marking(Flow().set(plain, to: secret).add("first") { _ in }.add(flow: inner)),
      "no case is matched. finished in early. <token> is <redacted>.")
  }

  @Test func `not if a key is only declared or read as sensitive`() async {
    for flow in [
      Flow().add("reads", .reads(sensitive)) { _ in },
      Flow().add("reads") { _ = $0[sensitive] },
      Flow().add("reads") { _ = try $0.require(sensitive) },
      Flow().add(ReadsOp(requires: true)), Flow().add(ReadsOp(requires: false)), Flow().add(DeclaringOp()),
    ] {
      #expect(await hides("read", flow, with: ["token": secret]).isSuccess)
    }
    for marks in [true, false] {
      let flow = Flow().set(plain, to: secret).set("k" as FlowKey<String>, to: "a").cases(on: "k") {
        $0.when("a") { branch in
          if marks { branch.markSensitive("token") } else { branch.set(sensitive, to: "unused") }
          branch.add("x") { _ in }
        }
      }
      #expect(await hides("within a branch", flow).report[plain] == secret)
    }
  }

  // MARK: Groups

  private func mistyped(_ flow: Flow, _ dispatcher: FlowArrayGroupDispatcher) -> Flow {
    flow.addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher)
  }

  @Test func `not in what items are given`() async {
    let key = FlowKey<[String]>("secrets", sensitive: true)
    let byName = FlowArrayGroupDispatcher(inputKey: "secrets", outputKey: "out")
    let text = "<item> in data bucket is <redacted> with type <String>"
    let marked = Flow().setDataBucket(dataBucket: ["secrets": [secret]]).markSensitive("secrets")
    await hides("an item of a marked array", mistyped(marked, byName), text)
    await hides(
      "an item of a sensitive key's array",
      mistyped(
        Flow().set(key, to: [secret]), FlowArrayGroupDispatcher(inputKey: key, outputKey: "out" as FlowKey<[Int]>)),
      text)
    await hides(
      "an array that is none", mistyped(Flow().markSensitive("secrets").add(SuccessOp()), byName),
      with: ["secrets": secret], "<secrets> in data bucket is <redacted> with type <String>")
    let items = FlowArrayGroupDispatcher(inputKey: "items", outputKey: "out", allowFailure: true)
    let failing = Flow().addGrouped(operationCreator: FailingItemOp.self, dispatcher: items)
    let failed = await hides("an operation declares it, and fails", failing, with: ["items": [secret]])
    #expect(failed.report.itemFailures.count == 1)
  }

  @Test func `not in what items write`() async {
    let write = Work {
      $0.setData(name: sensitive, value: secret)
      $0.setData(name: sensitive, value: secret + "!")
      $0.finishSuccessfully()
    }
    await hides("by a sensitive key", Flow.group([write]), "replace for token: <redacted> -> <redacted>")
    let mixed = Work {
      $0.setData(name: sensitive, value: secret)
      $0.setData(name: "token", value: "public")
      $0.setData(name: sensitive, value: secret)
      let _: Int? = $0.getData(name: "token")
    }
    await hides("by the plain name in between", Flow.group([mixed]))
    let output = Work {
      $0.setData(name: "output", value: secret)
      $0.finishSuccessfully()
    }
    let dispatcher = FlowArrayGroupDispatcher(
      inputKey: "works" as FlowKey<[Work]>, outputKey: FlowKey<[String]>("tokens", sensitive: true))
    await hides(
      "the group's output is sensitive", Flow().addGrouped(operationCreator: WorkOp.self, dispatcher: dispatcher),
      with: ["works": [output]], "add for tokens: <redacted>")
    let collected = FlowKey<[String]>("collected")
    let later = await hides(
      "the item's output is sensitive, and the plain key of what is collected",
      Flow().forEach(in: 0..<2, into: collected, run: TokenOp.self).add("later") { $0[collected] = [secret] },
      "add for collected: <redacted>")
    #expect(later.report[collected] == [secret])
    let declared = await hides(
      "an operation declares it",
      Flow().set(collected, to: [secret]).forEach(in: 0..<2, into: collected, run: DeclaringItemOp.self))
    #expect(declared.isSuccess)
    await hides(
      "an output of another type",
      Flow().markSensitive("tokens").forEach(in: 0..<1, into: "tokens" as FlowKey<[Int]>, run: TokenOp.self),
      "<tokens> in data bucket is <redacted> with type <String>")
    let (secrets, echoes) = (FlowKey<[String]>("secrets"), FlowKey<[String]>("echoes"))
    let late = await hides(
      "the group's keys turn out to be sensitive",
      Flow().set(secrets, to: [secret + "0", secret + "1"])
        .forEach(secrets, into: echoes, tolerating: .all, run: EchoOp.self)
        .add("mark") { context in
          _ = context[FlowKey<[String]>("secrets", sensitive: true)]
          _ = context[FlowKey<[String]>("echoes", sensitive: true)]
        },
      "[EchoOp #2] replace for item: <redacted> -> <redacted>")
    #expect(late.isSuccess && late.report.itemFailures.count == 1)
  }

  // MARK: Concurrent and late marks

  /// A value that calls a closure while it is described.
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
    await hides("marked by a description", flow, with: ["slow": slow, "token": secret], "token: <redacted>")
  }

  @Test func `a mark that comes while the bucket is set`() async {
    let (isSet, isMarked) = (Signal(), Signal())
    let flow = Flow().add("mark") { context in
      await isSet.wait()
      context[sensitive] = "mine"
      isMarked.fire()
    }.add("plain") { context in context[plain] = secret + "!" }
    let run = flow.start()
    flow.setDataBucket(dataBucket: ["slow": Slow {}, "token": secret])
    await isSet.fire(thenAwait: isMarked)
    #expect(!texts(await run.outcome).contains(secret))
  }

  @Test func `a marked value is never described`() async {
    let asked = Tally()
    let (value, key) = (Slow { asked.add() }, FlowKey<Slow>("token"))
    let outcome = await Flow().markSensitive("token", "tokens").setDataBucket(dataBucket: ["token": value])
      .step { operation in
        operation.setData(name: "token", value: value)
        let _: Int? = operation.getData(name: "token", isOptional: true)
        operation.finishSuccessfully()
      }
      .add("writes") { context in
        context[key] = value
        context.update(key, default: value) { $0 = value }
      }
      .cases(on: "token") { $0.otherwise { $0.add("x") { _ in } } }
      .forEach(in: [1], into: "tokens" as FlowKey<[Slow]>) { _, _ in value }
      .add("fails") { context in _ = try context.require("token" as FlowKey<Int>) }
      .run()
    #expect(outcome.code == .mismatchedData)
    _ = texts(outcome)
    #expect(asked.count == 0)
  }

  @Test func `a note after a run in which the name became sensitive`() async {
    let flow = marking(Flow())
    _ = await flow.run()
    flow.setData(name: "token", value: secret)
    #expect(!flow.generateSummary().contains(secret))
  }

  @Test func `what an observer is told from the mark on`() async {
    let seen = Journal<String>()
    let outcome = await Flow().observe { seen.append("\($0) \($0.path as Any)") }
      .add("mark") { context in
        _ = context[sensitive]
        context[plain] = secret
        context[plain] = nil
      }.run()
    #expect(outcome.isSuccess && !seen.entries.joined().contains(secret))
  }
}
