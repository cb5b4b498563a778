import OperationFlow
import TestSupport
import Testing

enum ErrorsAndOutcomes {
  static func outcome(of flow: Flow, print: Printer) async {
    switch await flow.run() {
    case .succeeded(let report):
      print(report.stepCount, "steps in", report.duration)
    case .failed(let error as FlowError, _) where error.code == .missingData:
      print("set", error.key ?? "", "first:", error.remedy)
    case .failed(let error, let report):
      print(error, report.itemFailures.count, report.data.count)
    case .cancelled(let report):
      print(report.summary)
    }
  }

  static func result(of flow: Flow, print: Printer) async {
    do {
      let report = try await flow.run().get()
      print(report.summary)
    } catch is CancellationError {
      print("cancelled")
    } catch {
      print(error)
    }
  }

  struct NoUser: Error {}

  final class CheckOp: FlowOperation, @unchecked Sendable {
    override func mainLogic() {
      guard let user: String = getData(name: "user") else { return }
      if user.isEmpty { return finishWithError(error: NoUser()) }
      finishSuccessfully()
    }
  }

  static func error(print: Printer) async {
    let outcome = await Flow("Greeting").add("ask") { _ in }.add(CheckOp()).run()
    if let error = outcome.error as? FlowError {
      print(error.code, error.flow ?? "", error.step ?? "", error.key ?? "")
      print(error)
    }
  }
}

typealias NoUser = ErrorsAndOutcomes.NoUser

extension ErrorsAndOutcomes {
  static func read(_ outcome: FlowOutcome, print: Printer) {
    if let failure = outcome.failure {
      print("failed in", failure.name, "at", failure.path ?? "", "after", failure.duration)
    }
    for step in outcome.report.steps {
      print(step.path, step.end)
      if let items = step.items {
        print(items.succeeded, "succeeded,", items.failed, "failed,", items.neverStarted ?? 0, "never started")
      }
    }
  }

  static func readResults(_ outcome: FlowOutcome, print: Printer) {
    for (index, result) in (outcome.report[.checkedLengths] ?? []).enumerated() where !result.isSuccess {
      print(index, result.error ?? "didn't come to its end")
    }
  }

  static func readMore(_ outcome: FlowOutcome, print: Printer) {
    let report = outcome.report
    let lengths: [Int: Int] = report.partialOutputs(.lengths)
    print("lengths so far:", lengths.count)
    if let cause = report.cancellation { print(cause) }
    for early in report.earlyEnds where !early.skipped.isEmpty {
      print(early.held, "so these never ran:", early.skipped)
    }
  }
}

@Suite(.watched) struct ErrorsAndOutcomesTests {
  private typealias Article = ErrorsAndOutcomes

  private let cancelling = Flow("Cancelling").add("stop") { _ in throw CancellationError() }
  private let greeting = Flow("Greeting").add("ask") { _ in }.add(Article.CheckOp())

  private func printed(_ body: (Printer) async -> Void) async -> String {
    let print = Printer()
    await body(print)
    return print.texts.joined(separator: "\n")
  }

  @Test func `the results of a group that failed say how each item ended`() async {
    let outcome = await Flow().set(.words, to: ["a", "", "c"])
      .forEach(.words, width: 1, .results(in: .checkedLengths)) { word, _ in
        if word.isEmpty { throw EmptyWord() }
        return word.count
      }.run()
    #expect(await printed { Article.readResults(outcome, print: $0) } == "1 EmptyWord()\n2 didn't come to its end")
  }

  @Test func `each way to end has its case`() async {
    #expect(await printed { await Article.outcome(of: greeting, print: $0) }.hasPrefix("set user first: Set <user>"))
    greeting.set(.user, to: "")
    #expect(await printed { await Article.outcome(of: greeting, print: $0) } == "NoUser() 0 1")
    greeting.set(.user, to: "ann")
    #expect(await printed { await Article.outcome(of: greeting, print: $0) }.hasPrefix("2 steps in "))
    #expect(await printed { await Article.outcome(of: cancelling, print: $0) }.contains("[stop] DidFinish: cancelled"))
  }

  @Test func `get throws what went wrong`() async {
    #expect(await printed { await Article.result(of: cancelling, print: $0) } == "cancelled")
    greeting.set(.user, to: "")
    #expect(await printed { await Article.result(of: greeting, print: $0) } == "NoUser()")
    greeting.set(.user, to: "ann")
    #expect(
      await printed { await Article.result(of: greeting, print: $0) }.hasPrefix("====== Flow Summary: Greeting ======"))
    #expect((await cancelling.run().error as? FlowError)?.code == .cancelled)
  }

  @Test func `an error reads as the article shows`() async throws {
    let text = await printed { await Article.error(print: $0) }
    let article = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/ErrorsAndOutcomes.md")
    #expect(article.contains("```\n\(text)\n```"))
  }

  @Test func `the report reads as the article shows`() async throws {
    let flow = Flow("Lengths").set(.words, to: ["a", "bb", "", "dddd"])
      .forEach(.words, into: .lengths, width: 1) { word, _ in
        guard !word.isEmpty else { throw EmptyWord() }
        return word.count
      }
      .add("store") { _ in }
    let outcome = await flow.recording(.none).run()
    let text = await printed { Article.read(outcome, print: $0) }
    #expect(text.hasPrefix("failed in [words #2] at 1. words after "))
    let article = try SourceTree.text(of: "Sources/OperationFlow/OperationFlow.docc/ErrorsAndOutcomes.md")
    #expect(article.contains("```\n" + text.split(separator: "\n").dropFirst().joined(separator: "\n") + "\n```"))
    #expect(await printed { Article.readMore(outcome, print: $0) } == "lengths so far: 2")
    let line = "Flow isSuccess: false, failed in [words #2]: EmptyWord()"
    #expect(outcome.report.summary.contains(line) && article.contains(line))
  }

  @Test func `the report says where a flow ended early, and what cancelled it`() async {
    let early = await Flow().cases(on: .target) { $0.when("web") { $0.add("resize") { _ in } } }.add("notify") { _ in }
      .run(with: ["target": "film"])
    let text = "lengths so far: 0\n<target> is <film>. so these never ran: [2. notify]"
    #expect(await printed { Article.readMore(early, print: $0) } == text)
    let cancelled = await cancelling.run()
    #expect(await printed { Article.readMore(cancelled, print: $0) } == "lengths so far: 0\ncancelled by [stop]")
  }

  @Test func `the first finish counts`() async {
    let outcome = await Flow().add(FinishTwiceOp()).run()
    #expect(outcome.isSuccess)
    #expect(outcome.report.summary.contains("[FinishTwiceOp] warning: finished again: ignored (withError: NoUser())"))
  }

  @Test func `a failed step's writes stay, and its declared outputs are not written`() async {
    let outcome = await Flow().add(HalfOp()).add("next") { _ in }.run()
    #expect(outcome.error is NoUser && outcome.report.stepCount == 1)
    #expect(outcome.report.data.keys.sorted() == ["half"])
  }

  @Test func `an operation object runs once, and the earlier run is untouched`() async throws {
    let started = Signal()
    let isOver = Signal()
    let flow = Flow().add(operation: WaitOp(started, isOver))
    let run = flow.start()
    await started.wait()
    #expect((await flow.run().error as? FlowError)?.code == .operationUsedTwice)
    #expect(run.currentOutcome == nil)
    isOver.fire()
    #expect(await run.outcome.isSuccess)
    #expect(flow.isSuccess && flow.error == nil)
    #expect((await flow.run().error as? FlowError)?.code == .operationUsedTwice)
  }

  @Test func `several errors are told together`() async throws {
    let flow = Flow("Wrong").add(CountWordsOp()).forEach(in: 1...2, width: 0) { _, _ in }
    let error = try #require(await flow.run().error as? FlowError)
    #expect(error.code == .invalidFlow)
    #expect(error.description.contains("<text>") && error.description.contains("width"))
    #expect(flow.validate().count { $0.severity == .error } == 2)
  }

  @Test func `an operation that nothing can finish fails`() async {
    #expect((await Flow().add(ForgetOp()).run().error as? FlowError)?.code == .neverFinished)
    #expect((await Flow().add(FlowOperation()).run().error as? FlowError)?.code == .notImplemented)
    let held = ForgetOp()
    let flow = Flow().add(operation: held)
    let run = flow.start()
    for await event in run.events {
      if case .warned(let text) = event.kind {
        #expect(text.hasPrefix("returned without finishing: taken as asynchronous."))
        held.finishSuccessfully()
      }
    }
    #expect(await run.outcome.isSuccess)
  }
}

private final class FinishTwiceOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {
    finishSuccessfully()
    finishWithError(error: NoUser())
  }
}

private final class HalfOp: FlowOperation, @unchecked Sendable {
  @FlowOutput var declared: Int?

  override func run() async throws {
    setData(name: "half", value: 1)
    declared = 2
    throw NoUser()
  }
}

private final class WaitOp: FlowOperation, @unchecked Sendable {
  private let started: Signal
  private let isOver: Signal

  init(_ started: Signal, _ isOver: Signal) {
    self.started = started
    self.isOver = isOver
  }

  override func run() async throws {
    started.fire()
    await isOver.wait()
  }
}

private final class ForgetOp: FlowOperation, @unchecked Sendable {
  override func mainLogic() {}
}
