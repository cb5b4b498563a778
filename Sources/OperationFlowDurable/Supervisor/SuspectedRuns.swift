import Foundation
import OperationFlow

/// The runs that were at work when the process ended, several times in a row.
///
/// A run is suspected if several supervisors in a row have ended soon, or if its process has ended several times in the
/// same work. It may end the process again. So suspected runs are begun after all others, one at a time. The runs that
/// were tried most often are begun last, after the longest delay.
struct SuspectedRuns: Sendable {
  /// The time for which a run has to be at work before it isn't suspected any longer.
  static let trial: TimeInterval = 60
  /// The number of ends in a row that makes runs suspicious: a process may end for any reason now and then.
  static let startLimit = 2

  private struct Suspect: Sendable {
    let run: FlowUnfinishedRun
    let tryCount: Int
    let date: Date
  }

  /// The suspected runs that are not begun yet, the next one first.
  private var waiting: [Suspect] = []
  /// The suspected run that was begun last.
  private var current: (id: String, date: Date)?
  /// The number of starts of supervisors since one has lasted, and of trials of each run since then.
  private var (startCount, tries): (Int, [String: Int]) = (0, [:])
  /// The date at which this supervisor has lasted long enough; `nil` if that is certain already.
  private var trialEnd: Date?

  init() {}

  /// Begins with the starts and trials of earlier supervisors.
  init(_ contents: SupervisorBook.Contents, at now: Date) {
    (startCount, tries) = (contents.startCount, contents.tries)
    trialEnd = now.addingTimeInterval(Self.trial)
  }

  /// The suspected runs that are not begun yet.
  var runs: [FlowUnfinishedRun] { waiting.map(\.run) }

  func contains(_ id: String) -> Bool { waiting.contains { $0.run.id == id } }

  /// Adds a run that was at work when the process ended; returns false if that is no reason to suspect it.
  ///
  /// `crashCount` is the number of times in a row that a process ended in the same work of the run, from its journal.
  mutating func add(_ id: String, _ beginning: FoundRun.Beginning, _ crashCount: Int, at now: Date) -> Bool {
    let isStarting = startCount >= Self.startLimit && trialEnd != nil
    guard isStarting || crashCount >= Self.startLimit else { return false }
    // The first end in the same work doesn't count as a trial.
    let tryCount = max(tries[id, default: 0], crashCount - 1)
    let suspect = Suspect(
      run: beginning.left(id, .suspectedRun(id, max(isStarting ? startCount : 0, crashCount))), tryCount: tryCount,
      date: now.addingTimeInterval(RetryDelay.after(tryCount)))
    let place = waiting.firstIndex { $0.tryCount > tryCount } ?? waiting.count
    waiting.insert(suspect, at: place)
    return true
  }

  mutating func remove(_ id: String) { waiting.removeAll { $0.run.id == id } }

  /// Removes and returns the next run; `nil` if another one is on trial, or if the next one is busy or not due yet.
  mutating func take(at now: Date, isBusy: (String) -> Bool) -> String? {
    if let current, isBusy(current.id), !hasLasted(since: current.date, at: now) { return nil }
    guard let first = waiting.first, RetryDelay.hasCome(first.date, at: now), !isBusy(first.run.id) else { return nil }
    waiting.removeFirst()
    current = (first.run.id, now)
    trialEnd = now.addingTimeInterval(Self.trial)
    return first.run.id
  }

  /// Records that a run isn't at work any more.
  mutating func settle(_ id: String) { if current?.id == id { current = nil } }

  /// Returns true once, when the supervisor has lasted long enough, so that its runs are suspected no longer.
  mutating func haveLasted(at now: Date) -> Bool {
    guard waiting.isEmpty, let trialEnd, RetryDelay.hasCome(trialEnd, at: now) else { return false }
    self.trialEnd = nil
    return true
  }

  private func hasLasted(since date: Date, at now: Date) -> Bool {
    RetryDelay.hasCome(date.addingTimeInterval(Self.trial), at: now)
  }
}
