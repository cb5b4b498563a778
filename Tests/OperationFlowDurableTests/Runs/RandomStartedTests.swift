import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Random durable runs that are paused at random, cut, resumed, or cancelled through their stores.
@Suite(.long) struct RandomStartedTests {
  @Test func `a run that is paused and cut at random ends as the model says`() async {
    await forEachSeed(count: 100, workers: 4) { try await Self.paused($0) }
  }

  @Test func `a run that is cancelled through its store ends so with its undos, or had ended before`() async {
    await forEachSeed(count: 100, workers: 4) { try await Self.cancelled($0) }
  }

  /// Starts a run, and pauses and resumes it at random until it ends.
  private static func outcome(of flow: Flow, in store: MemoryFlowStore, _ seed: UInt64) async -> FlowOutcome {
    let run = flow.start(id: "r", in: store, durability: .operatingSystem)
    let pauses = Task {
      var random = SeededGenerator(seed: seed)
      while run.currentOutcome == nil, !Task.isCancelled {
        if random.oneIn(2) { run.pause() } else { run.resume() }
        for _ in 0..<random.below(8) { await Task.yield() }
      }
    }
    // The random pauses stop after a while, and the last one is ended, so that the run can end.
    async let ended = run.outcome
    for _ in 0..<50 where run.currentOutcome == nil { await Task.yield() }
    pauses.cancel()
    await pauses.value
    run.resume()
    return await ended
  }

  private static func paused(_ seed: UInt64) async throws -> String? {
    let script = RandomFlow(seed: seed)
    let store = MemoryFlowStore()
    let expected = Interpreter(script)
    let first = await outcome(of: script.build(), in: store, seed)
    if let complaint = Comparison(first, with: expected).complaint { return "at once: " + complaint }
    let entries = (store.journals["r"] ?? []).withoutBegins
    if entries.isEmpty { return nil }
    var random = SeededGenerator(seed: seed &+ 1)
    let count = random.below(entries.count)
    let resumed = await outcome(
      of: script.build(), in: MemoryFlowStore(["r": Array(entries.prefix(count))]), seed &+ 2)
    if resumed.isLeftForType { return first.hasMistypedRead || !expected.isDecided ? nil : "left: \(resumed)" }
    let (was, isNow) = (DurableCheck.text(of: first, false), DurableCheck.text(of: resumed, false))
    let isAlike =
      expected.isDecided && first.report.cancellation != .call ? was == isNow : resumed.isSuccess == first.isSuccess
    return isAlike ? nil : "resumed after \(count) of \(entries.count): \(isNow), and not \(was)"
  }

  private static func cancelled(_ seed: UInt64) async throws -> String? {
    let script = RandomFlow(seed: seed)
    let store = MemoryFlowStore()
    let flow = script.build()
    let run = flow.start(id: "r", in: store, durability: .operatingSystem)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<random.below(40) { await Task.yield() }
    // The run may have ended, or not have begun.
    let problem = await Result(awaiting: { try await store.cancel("r") }).failure
    let outcome = await run.outcome
    if let code = (problem as? FlowError)?.code, code != .runNotWaiting, code != .unknownRun { return "\(code)" }
    let undoable = Set(flow.blueprint.allSteps.filter(\.hasUndo).map(\.path))
    let succeeded = outcome.report.events.filter { event in
      guard let path = event.path, undoable.contains(path) else { return false }
      switch event.kind {
      case .finished(.successfully), .recovered: return true
      default: return false
      }
    }
    if outcome.isCancelled, outcome.report.undos.count != succeeded.count {
      return "\(outcome.report.undos.count) undone of \(succeeded.count)"
    }
    guard store.journals["r"]?.isEmpty == false else { return nil }
    let again = await script.build().run(id: "r", in: store, durability: .operatingSystem)
    // The outcome from the store lacks values that aren't stored.
    let was = DurableCheck.text(of: outcome, false).filter { !$0.hasSuffix(": not stored") }
    let isNow = DurableCheck.text(of: again, false)
    let (steps, stored) = (outcome.report.steps.map(StepEnd.init), again.report.steps.map(StepEnd.init))
    if let (one, other) = zip(steps, stored).first(where: { $0 != $1 }) { return "\(other), and not \(one)" }
    return again.hadEnded && was == isNow && steps.count == stored.count ? nil : "again \(isNow), and not \(was)"
  }
}

extension Result where Failure == any Error {
  fileprivate init(awaiting body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }

  fileprivate var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
}

/// The end of a step in a report.
private struct StepEnd: Equatable {
  let path: String
  let end: FlowReport.StepEnd
  let attempts: Int
  let items: FlowReport.Items?

  init(_ step: FlowReport.Step) {
    (path, end, attempts, items) = (step.path.description, step.end, step.attempts, step.items)
  }
}
