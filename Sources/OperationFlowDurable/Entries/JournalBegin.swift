import Foundation
import OperationFlow
import OperationFlowStorage

/// An entry for the beginning of an attempt at a step, an item or an undo.
///
/// If no later entry has the attempt's end, or the leaving or suspending of the run, the process ended in the attempt.
struct JournalBegin: Sendable {
  let date: Date
  let work: RunWork
  let attempt: Int
  /// True if the entry must survive a power failure before its work starts, as a settlement must.
  ///
  /// The flag isn't stored.
  var mustBeSafe = false

  init(date: Date, work: RunWork, attempt: Int) { (self.date, self.work, self.attempt) = (date, work, attempt) }

  init(_ reader: inout JournalReader) throws(FlowError) {
    (date, work, attempt) = (try reader.date(), try RunWork(&reader), try reader.number())
  }

  func write(to writer: inout JournalWriter) {
    writer.date(date)
    work.write(to: &writer)
    writer.number(attempt)
  }

  /// Returns a copy for a flow in which the step has another number.
  func moved(to work: RunWork) -> JournalBegin { JournalBegin(date: date, work: work, attempt: attempt) }
}

/// Finds the attempts in which a process ended, from the entries of a journal.
struct InterruptedAttempts: Sendable {
  /// The beginning of an attempt, and the number of its entry.
  private struct Begun: Sendable {
    let begin: JournalBegin
    let number: Int
  }

  /// The attempts that have neither ended nor been left, by their work.
  private var begun: [RunWork: Begun] = [:]
  /// The attempts that haven't ended, including those that were left: they may have had an effect.
  private var unsettled: [RunWork: Begun] = [:]
  private var entryCount = 0
  /// The number of processes that have ended in each piece of work.
  private var counts: [RunWork: Int] = [:]
  /// The numbers since the last settlement of any other kind.
  private var recentCounts: [RunWork: Int] = [:]

  init() {}

  mutating func add(_ entry: JournalEntry) {
    entryCount += 1
    switch entry {
    case .begins(let begin):
      begun[begin.work] = Begun(begin: begin, number: entryCount)
      unsettled[begin.work] = begun[begin.work]
    case .settled(let settlement): add(settlement)
    case .runs: recentCounts = [:]
    case .left, .rests: begun = [:]
    case .begun, .decided, .ended, .waits: break
    }
  }

  private mutating func add(_ settlement: JournalSettlement) {
    begun[settlement.work] = nil
    unsettled[settlement.work] = nil
    guard case .failed(let error as FlowError, _) = settlement.result, error.code == .processEnded else {
      if !recentCounts.isEmpty { recentCounts = [:] }
      return
    }
    counts[settlement.work, default: 0] += 1
    recentCounts[settlement.work, default: 0] += 1
  }

  /// The attempts in which the last process ended, in the order of their beginnings.
  ///
  /// The count includes this end.
  var last: [(begin: JournalBegin, count: Int)] {
    begun.values.sorted { $0.number < $1.number }.map { ($0.begin, counts[$0.begin.work, default: 0] + 1) }
  }

  /// The attempts that haven't ended, in the order of their beginnings, including those that were left.
  var allBegun: [JournalBegin] { unsettled.values.sorted { $0.number < $1.number }.map(\.begin) }

  /// The number of processes in a row that ended in the same piece of work, with no other settlement in between.
  var consecutiveCount: Int {
    // A shortcut: each entry needs this number, and most runs are never interrupted.
    if recentCounts.isEmpty { return begun.isEmpty ? 0 : 1 }
    return begun.keys.map { recentCounts[$0, default: 0] + 1 }.max() ?? 0
  }
}

extension FlowError {
  /// The failure of an attempt in which the process ended.
  static func processEnded(_ count: Int) -> FlowError {
    let times = count == 1 ? "once" : "\(count) times"
    return FlowError(
      .processEnded, "the process has ended \(times) while this was at work",
      remedy:
        "See what has ended it, such as a crash in this step. Give the step more attempts with .retry if it may be "
        + "ended more often.")
  }
}
