import Foundation
import OperationFlow
import OperationFlowStorage

/// A run that is under way for a supervisor.
final class SupervisedRun: Sendable {
  /// The result of an attempt to suspend a run.
  enum Parting: Sendable {
    case isSuspended
    case isAtWork
    /// The run does nothing but wait, and would lose something.
    case isKept
  }

  /// The names of the values that each resume of the run has, and of those that it lacks.
  struct Values: Sendable {
    /// The names of the values that every resume is given.
    var again: Set<String> = []
    /// The names of the values that were given only when the run was begun.
    var once: Set<String> = []
    /// The names of the values that the run's journal doesn't store.
    var omitted: Set<String> = []
  }

  let run: FlowRun
  let journal: RunJournal
  /// The date at which the run began; `nil` if it couldn't be read.
  let begun: Date?
  let room: WaitingRoom?
  private let values: Values
  private let rested = Locked<JournalRest?>(nil)

  init(_ run: FlowRun, _ journal: RunJournal, begun: Date?, _ values: Values) {
    (self.run, self.journal, self.begun, room) = (run, journal, begun, run.engine?.waits as? WaitingRoom)
    var values = values
    for step in run.engine?.blueprint.steps ?? [] {
      if case .flow(_, let data, _) = step.kind { values.again.formUnion(data.keys) }
    }
    self.values = values
  }

  /// The state of the waits when the run was suspended; `nil` if the run was at work.
  var rest: JournalRest? { rested.withLock { $0 } }

  /// Suspends the run in any case, but not before it has been restored.
  func stop() {
    Task {
      while !suspendInAnyCase(), run.currentOutcome == nil { try? await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// Suspends the run at once; returns false if the run hasn't been restored yet, or is about to end.
  func suspendInAnyCase() -> Bool {
    guard let engine = run.engine else { return false }
    return engine.suspend(.suspended, inAnyCase: true) { count in
      // A run counts as being at work if it has anything else to do, such as another attempt after a delay.
      leave(at: count.flatMap { room?.rest(of: $0) })
      return true
    }
  }

  /// Suspends the run if it does nothing but wait, for at least a second from a date, and loses nothing.
  func suspend(before date: Date) -> Parting {
    guard let engine = run.engine, let room else { return .isAtWork }
    if let due = room.firstDue, due.timeIntervalSince(date) < 1 { return .isAtWork }
    var found: JournalRest?
    _ = engine.suspend(.suspended) { count in
      found = count.flatMap(room.rest)
      return false
    }
    guard let found else { return .isAtWork }
    // If the run continues without its journal, its progress is in memory alone.
    if journal.isOver || hasUnstoredValues(engine.bucket) { return .isKept }
    let isSuspended = engine.suspend(.suspended) { count in
      // If the run has continued meanwhile, its values may be others.
      guard let rest = count.flatMap(room.rest), rest == found, !journal.isOver else { return false }
      leave(at: rest)
      return true
    }
    return isSuspended ? .isSuspended : .isAtWork
  }

  private func leave(at rest: JournalRest?) {
    journal.suspend(with: rest)
    rested.withLock { $0 = rest }
  }

  /// Returns true if a value is in memory alone, so that a resume would lack it.
  private func hasUnstoredValues(_ bucket: DataBucket) -> Bool {
    bucket.values.contains { name, value in
      if values.once.contains(name), !Self.isStorable(value) { return true }
      guard !values.again.contains(name) else { return false }
      return values.omitted.contains(name) || (journal.sealing == nil && bucket.isHidden(name))
    }
  }

  private static func isStorable(_ value: any Sendable) -> Bool {
    value is any Encodable || value is StoredJSON || (value as? [any Sendable])?.allSatisfy(isStorable) == true
  }
}
