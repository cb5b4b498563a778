import Foundation
import OperationFlow
import OperationFlowStorage

/// A run that a supervisor carries.
final class SupervisedRun: Sendable {
  /// What becomes of a run that is asked to be put away.
  enum Parting: Sendable {
    case isPutAway
    case isAtWork
    /// It does nothing but wait, and would lose something.
    case isKept
  }

  /// What a resume of the run is given each time, and what it isn't.
  struct Values: Sendable {
    /// The names of the values that every resume is given.
    var again: Set<String> = []
    /// The names of the values that only the one who has begun the run has given.
    var once: Set<String> = []
    /// The names of the values that its journal doesn't store.
    var omitted: Set<String> = []
  }

  let run: FlowRun
  let journal: RunJournal
  /// When it began; `nil` if that couldn't be read.
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

  /// Where it was put away; `nil` if it was at work.
  var rest: JournalRest? { rested.withLock { $0 } }

  /// Puts it away in any case; what is still being restored, as soon as it goes on.
  func stop() {
    Task {
      while !putAwayInAnyCase(), run.currentOutcome == nil { try? await Task.sleep(for: .milliseconds(10)) }
    }
  }

  /// Puts it away at once; false if it hasn't gone on yet, or is about to end.
  func putAwayInAnyCase() -> Bool {
    guard let engine = run.engine else { return false }
    return engine.putAway(.putAway, inAnyCase: true) { count in
      // A run in which anything else is to come, such as another attempt after a delay, is at work.
      leave(at: count.flatMap { room?.rest(of: $0) })
      return true
    }
  }

  /// Puts it away if it does nothing but wait, for at least a second from a date, and loses nothing.
  func putAway(before date: Date) -> Parting {
    guard let engine = run.engine, let room else { return .isAtWork }
    if let due = room.firstDue, due.timeIntervalSince(date) < 1 { return .isAtWork }
    var found: JournalRest?
    _ = engine.putAway(.putAway) { count in
      found = count.flatMap(room.rest)
      return false
    }
    guard let found else { return .isAtWork }
    // What a run does that goes on without its journal is known nowhere else.
    if journal.isOver || hasUnstoredValues(engine.bucket) { return .isKept }
    let isPutAway = engine.putAway(.putAway) { count in
      // If it has gone on meanwhile, its values may be others.
      guard let rest = count.flatMap(room.rest), rest == found, !journal.isOver else { return false }
      leave(at: rest)
      return true
    }
    return isPutAway ? .isPutAway : .isAtWork
  }

  private func leave(at rest: JournalRest?) {
    journal.putAway(with: rest)
    rested.withLock { $0 = rest }
  }

  /// True if a value is in memory alone: a resume would miss it.
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
