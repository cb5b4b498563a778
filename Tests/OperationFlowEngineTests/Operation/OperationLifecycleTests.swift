import TestSupport
import Testing

@testable import OperationFlow

/// An input of a lifecycle.
private enum Step {
  case begin, prepare, work, asynchronous, returns, succeed, fail(String), cancel
}

extension OperationLifecycle {
  /// Applies a step, and returns the lifecycle's answer in one word.
  fileprivate mutating func take(_ step: Step) -> String {
    switch step {
    case .begin: beginWithWork()
    case .prepare: word(begin(reading: DeclaredPorts([])))
    case .work: beginWork() ? "works" : "rests"
    case .returns: word(mainLogicReturned(of: nil))
    case .succeed: word(decide(.succeeded))
    case .fail(let name): word(decide(.failed(TestError(name: name))))
    case .cancel: word(cancel())
    case .asynchronous: asynchronous()
    }
  }

  private mutating func beginWithWork() -> String {
    let beginning = begin(reading: nil)
    if case .run = beginning { _ = beginWork() }
    return word(beginning)
  }

  private mutating func asynchronous() -> String {
    isAsynchronous = true
    return "asynchronous"
  }

  /// The name of an answer's case.
  private func word<Answer>(_ answer: Answer) -> String {
    Mirror(reflecting: answer).children.first?.label ?? "\(answer)"
  }

  /// The ending, or the phase if the lifecycle isn't settled.
  fileprivate var end: String {
    guard phase == .settled else { return "\(phase)" }
    return switch settlement {
    case .succeeded: "succeeded"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    case nil: "settled without a settlement"
    }
  }
}

@Suite(.watched) struct OperationLifecycleTests {
  private func check(
    _ promise: Comment, _ steps: Step..., says answers: String, endsAs end: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    var lifecycle = OperationLifecycle()
    let found = steps.map { lifecycle.take($0) }.joined(separator: " ")
    #expect(found == answers && lifecycle.end == end, promise, sourceLocation: sourceLocation)
  }

  @Test func `the first who decides how it ends counts, and it ends when its main logic has returned`() {
    check("in its main logic", .begin, .succeed, .returns, says: "run later settle", endsAs: "succeeded")
    check("not before that returns", .begin, .succeed, says: "run later", endsAs: "running")
    check(
      "after it", .begin, .asynchronous, .returns, .fail("late"), says: "run asynchronous waits settle",
      endsAs: "failed: TestError(late)")
    check("nothing was said", .begin, .returns, says: "run waitsUndeclared", endsAs: "waiting")
    check(
      "a second and a third", .begin, .fail("first"), .succeed, .returns, .succeed,
      says: "run later repeated settle repeated", endsAs: "failed: TestError(first)")
    check(
      "a second start", .begin, .begin, .returns, .begin, .succeed, .begin,
      says: "run ignore waitsUndeclared ignore settle ignore", endsAs: "succeeded")
  }

  @Test func `one that Foundation has marked as cancelled never runs, also if that was told to no one else yet`() {
    let operation = BlockOp { _ in fail("ran") }
    operation.markCancelled()
    operation.start()
    #expect(operation.isFinished && operation.isCancelled)
    operation.cancel()
    guard case .finished(.withError(let error)) = operation.state else { return fail("not cancelled") }
    #expect((error as? FlowError)?.code == .cancelled)
  }

  @Test func `cancelling ends one that waits, leaves one that runs to its return, and changes nothing decided`() {
    check("it waits", .begin, .returns, .cancel, says: "run waitsUndeclared settle", endsAs: "cancelled")
    check("it runs", .begin, .cancel, says: "run later", endsAs: "running")
    check("it returns", .begin, .cancel, .returns, says: "run later settle", endsAs: "cancelled")
    check("decided", .begin, .succeed, .cancel, .returns, says: "run later later settle", endsAs: "succeeded")
  }

  @Test func `what is decided before its work begins keeps it from its work`() {
    check("cancelled before the start", .cancel, .begin, says: "later settle", endsAs: "cancelled")
    check("finished before it", .succeed, .begin, says: "later settle", endsAs: "succeeded")
    check("inputs are read", .prepare, says: "run", endsAs: "preparing")
    check("and the work begins", .prepare, .work, says: "run works", endsAs: "running")
    check(
      "cancelled meanwhile", .prepare, .cancel, .work, .returns, says: "run later rests settle", endsAs: "cancelled")
    check(
      "failed meanwhile", .prepare, .fail("input"), .work, .returns, says: "run later rests settle",
      endsAs: "failed: TestError(input)")
  }

  @Test func `only one can claim it and a claim can be given back`() {
    var lifecycle = OperationLifecycle()
    let claims = [lifecycle.claim(), lifecycle.claim()]
    lifecycle.unclaim()
    let claimAgain = lifecycle.claim()
    _ = lifecycle.begin(reading: nil)
    _ = lifecycle.beginWork()
    lifecycle.unclaim()
    #expect(lifecycle.phase == .running)
    let claimRunning = lifecycle.claim()
    _ = lifecycle.decide(.succeeded)
    _ = lifecycle.mainLogicReturned(of: nil)
    let claimEnded = lifecycle.claim()
    #expect(claims == [true, false])
    #expect(claimAgain && !claimRunning && !claimEnded)
  }

  @Test func `random inputs in any order end it exactly once`() {
    let steps: [Step] = [.begin, .returns, .succeed, .fail("test"), .cancel, .asynchronous]
    for seed in 0..<20_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      var lifecycle = OperationLifecycle()
      var answers: [String] = []
      for _ in 0..<12 {
        let (isOver, before) = (lifecycle.phase == .settled, lifecycle.end)
        answers.append(lifecycle.take(steps[random.below(steps.count)]))
        if isOver { #expect(lifecycle.end == before) }
      }
      #expect(answers.count { $0 == "run" } <= 1, "seed \(seed)")
      #expect(answers.count { $0 == "settle" } == (lifecycle.phase == .settled ? 1 : 0), "seed \(seed)")
    }
  }
}
