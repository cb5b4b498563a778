import Foundation
import OperationFlow
import OperationFlowStorage

/// An entry about an attempt that begins, at a step, an item or an undo.
///
/// If no entry says how it has ended, and none that the run was left, the process ended in it.
struct JournalBegin: Sendable {
  let date: Date
  let work: RunWork
  let attempt: Int
  /// True if the work starts only when the entry survives a power failure, where others do as well; no part of the entry.
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

  /// The same for a flow in which the step has another number.
  func moved(to work: RunWork) -> JournalBegin { JournalBegin(date: date, work: work, attempt: attempt) }
}

/// The attempts in which a process has ended, as the entries of a journal show them.
struct InterruptedAttempts: Sendable {
  /// An attempt that has begun, as the entry of a number says.
  private struct Begun: Sendable {
    let begin: JournalBegin
    let number: Int
  }

  /// The attempts that have begun, and neither ended nor been left, by their work.
  private var begun: [RunWork: Begun] = [:]
  /// The attempts that have begun and not ended, left ones included: they may have had an effect.
  private var unsettled: [RunWork: Begun] = [:]
  private var entryCount = 0
  /// How often the process has ended in each piece of work.
  private var counts: [RunWork: Int] = [:]
  /// The same since anything else has settled.
  private var recentCounts: [RunWork: Int] = [:]

  init() {}

  mutating func note(_ entry: JournalEntry) {
    entryCount += 1
    switch entry {
    case .begins(let begin):
      begun[begin.work] = Begun(begin: begin, number: entryCount)
      unsettled[begin.work] = begun[begin.work]
    case .settled(let settlement): note(settlement)
    case .runs: recentCounts = [:]
    case .left, .rests: begun = [:]
    case .begun, .decided, .ended, .waits: break
    }
  }

  private mutating func note(_ settlement: JournalSettlement) {
    begun[settlement.work] = nil
    unsettled[settlement.work] = nil
    guard case .failed(let error as FlowError, _) = settlement.result, error.code == .processEnded else {
      if !recentCounts.isEmpty { recentCounts = [:] }
      return
    }
    counts[settlement.work, default: 0] += 1
    recentCounts[settlement.work, default: 0] += 1
  }

  /// Those in which the last process ended, in the order in which they began, and how often one has ended in each by now.
  var last: [(begin: JournalBegin, count: Int)] {
    begun.values.sorted { $0.number < $1.number }.map { ($0.begin, counts[$0.begin.work, default: 0] + 1) }
  }

  /// The attempts that have begun and not ended, whether a process has ended in them or has left them, in that order.
  var allBegun: [JournalBegin] { unsettled.values.sorted { $0.number < $1.number }.map(\.begin) }

  /// How often a process has ended in the same piece of work, one time after the other, without anything else settled.
  var consecutiveCount: Int {
    // Most runs have not been interrupted, and this is asked for with each entry.
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
