import Foundation
import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

/// A durable run that is started, and resumed, in stores whose calls fail, and at last in one whose calls don't.
///
/// Each function returns a description of a fault; `nil` if there is none.
struct TroubledRun: Sendable {
  typealias Make = @Sendable (_ ran: @escaping @Sendable (String) -> Void) -> Flow

  let id: String
  /// Makes the flow, whose work reports its keys, with the numbers of attempts, when it begins.
  let make: Make
  /// False if the run may end in several ways.
  let isDecided: Bool
  /// The outcome of a run in a store without failures, and the work of that run.
  let expected: FlowOutcome
  private let expectedWork: Set<String>
  /// The number of calls of a store that doesn't fail.
  let callCount: Int
  private let paths: PathTable
  private let journals: [String: [Data]]
  private var memory: MemoryFlowStore

  /// Starts the run in a store without failures, over a copy of `journals`.
  init(
    _ id: String, _ durability: FlowDurability, journals: [String: [Data]] = [:], isDecided: Bool = true,
    _ make: @escaping Make
  ) async {
    (self.id, self.make, self.journals, memory) = (id, make, journals, MemoryFlowStore(journals))
    let (ran, calls) = (Journal<String>(), FailingCalls(from: .max, .once))
    let store = HookedStore(journals) { $0.calling = calls.check }
    let flow = make { ran.append($0) }
    paths = flow.makeLaunch().facts.paths
    expected = await flow.run(id: id, in: store, durability: durability)
    (expectedWork, callCount) = (Set(ran.entries), calls.count)
    // Work that was cancelled with the run, and had not ended when the process did, isn't run again.
    self.isDecided = isDecided && expected.report.cancellation != .call
  }

  /// A run that has not begun.
  func anew() -> TroubledRun {
    var run = self
    run.memory = MemoryFlowStore(journals)
    return run
  }

  /// Starts or resumes the run in a store some of whose calls fail.
  func complaint(_ calls: FailingCalls, _ durability: FlowDurability) async throws -> String? {
    let settled = try DurableCheck.settledKeys(memory.journals[id] ?? [], paths, of: id)
    let hadEnded = isEnded
    let (ran, store) = (Journal<String>(), HookedStore(over: memory) { $0.calling = calls.check })
    let outcome = await outcome(in: store, durability) { ran.append($0) }
    if store.openCount != 0 { return "\(store.openCount) journals are open" }
    if let again = ran.entries.first(where: settled.contains) { return "\(again) had settled, and ran again" }
    let counts = Dictionary(ran.entries.map { ($0, 1) }, uniquingKeysWith: +)
    if let twice = counts.first(where: { $0.value > 1 }) { return "\(twice.key) ran \(twice.value) times" }
    if isDecided, let other = ran.entries.first(where: { !expectedWork.contains($0) }) { return "\(other) ran" }
    // In the first run, a value of another type was its reader's failure, or another branch stopped the reader's
    // branch first.
    if outcome.isLeftForType { return expected.hasMistypedRead || !isDecided ? nil : "left: \(outcome)" }
    if let error = outcome.error as? FlowError, error.code == .storeFailed {
      // If the last synchronization fails, no one has learned whether the end is safe.
      if !hadEnded, isEnded, durability.way == .operatingSystem { return "left although its end is stored: \(error)" }
      return check(error, calls)
    }
    return check(outcome, durability)
  }

  /// Resumes the run in a store without failures, which ends it, and once more, which does nothing.
  func complaintAtEnd(_ durability: FlowDurability) async throws -> String? {
    let calls = FailingCalls(from: .max, .once)
    if let complaint = try await complaint(calls, durability) { return "at last: \(complaint)" }
    // A value of another type than its reader requires leaves a resumed run.
    if !isEnded { return nil }
    let ran = Journal<String>()
    let outcome = await outcome(in: HookedStore(over: memory), durability) { ran.append($0) }
    if !outcome.hadEnded || !ran.entries.isEmpty { return "\(outcome) had not ended, and ran \(ran.entries)" }
    return difference(of: outcome).map { "from the store: \($0)" }
  }

  /// Returns the outcome once nothing of the run is left in memory.
  private func outcome(
    in store: HookedStore, _ durability: FlowDurability, _ ran: @escaping @Sendable (String) -> Void
  ) async -> FlowOutcome {
    weak var ended: FlowRun?
    let outcome: FlowOutcome
    do {
      let flow = make(ran)
      let run = flow.start(id: id, in: store, durability: durability)
      ended = run
      // The flow's own work cancels it.
      outcome = await run.outcome
      withExtendedLifetime(flow) {}
    }
    while ended != nil { await Task.yield() }
    return outcome
  }

  /// True if the end of the run is stored.
  private var isEnded: Bool { memory.journals[id]?.last.map(JournalEntry.isEnding) ?? false }

  /// Checks a run that its store's failure has left.
  private func check(_ error: FlowError, _ calls: FailingCalls) -> String? {
    if calls.failureCount == 0 { return "left without a failure: \(error)" }
    if !error.problem.contains("\"no ") && !error.problem.contains("TestError(no ") { return "no cause in: \(error)" }
    if error.remedy.isEmpty { return "no remedy in: \(error)" }
    return nil
  }

  /// Checks a run that has ended.
  private func check(_ outcome: FlowOutcome, _ durability: FlowDurability) -> String? {
    if let difference = difference(of: outcome) { return difference }
    if isEnded { return nil }
    if !durability.continuesWithoutJournal { return "its end isn't stored: \(outcome)" }
    let isWarned = outcome.report.warnings.contains { $0.contains("can't be written") }
    return isWarned ? nil : "no warning that the journal wasn't written: \(outcome.report.lines)"
  }

  private func difference(of outcome: FlowOutcome) -> String? {
    if !isDecided { return outcome.isSuccess == expected.isSuccess ? nil : "\(outcome), and not \(expected)" }
    let texts = [outcome, expected].map { outcome in
      // An outcome from a store lacks values that can't be stored.
      DurableCheck.text(of: outcome, false).filter { !$0.hasSuffix(": not stored") }
    }
    return texts[0] == texts[1] ? nil : "\(texts[0]), and not \(texts[1])"
  }
}
