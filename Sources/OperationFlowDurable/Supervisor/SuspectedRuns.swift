import Foundation
import OperationFlow

/// The runs that were at work when the process ended, if that has happened several times in a row, to supervisors or to the
/// same work of a run.
///
/// One of them may end the process again. So they are begun after all others, one at a time, and those that were tried
/// most often last, and after the longest delay.
struct SuspectedRuns: Sendable {
  /// How long a run is at work before it isn't suspected any longer.
  static let trial: TimeInterval = 60
  /// The number of starts in a row that makes runs suspicious: a process may end for any reason now and then.
  static let startLimit = 2

  private struct Suspect: Sendable {
    let run: FlowUnfinishedRun
    let tryCount: Int
    let date: Date
  }

  /// The first one is begun next.
  private var waiting: [Suspect] = []
  /// The one that was begun last.
  private var current: (id: String, date: Date)?
  /// How often supervisors have started since one has lasted, and how often each run was tried since.
  private var (startCount, tries): (Int, [String: Int]) = (0, [:])
  /// When this supervisor has lasted; `nil` if it has.
  private var trialEnd: Date?

  init() {}

  /// Begins with what the supervisors before have left.
  init(_ contents: SupervisorBook.Contents, at now: Date) {
    (startCount, tries) = (contents.startCount, contents.tries)
    trialEnd = now.addingTimeInterval(Self.trial)
  }

  /// Those that wait to be begun.
  var runs: [FlowUnfinishedRun] { waiting.map(\.run) }

  func contains(_ id: String) -> Bool { waiting.contains { $0.run.id == id } }

  /// Adds a run that was at work when the process ended, unless that is no reason to suspect it.
  ///
  /// `crashCount` says how often one has ended in the same work of the run, which its journal has.
  mutating func add(_ id: String, _ beginning: FoundRun.Beginning, _ crashCount: Int, at now: Date) -> Bool {
    let isStarting = startCount >= Self.startLimit && trialEnd != nil
    guard isStarting || crashCount >= Self.startLimit else { return false }
    // After the first end in the same work, nothing is known of the run yet.
    let tryCount = max(tries[id, default: 0], crashCount - 1)
    let suspect = Suspect(
      run: beginning.left(id, .suspectedRun(id, max(isStarting ? startCount : 0, crashCount))), tryCount: tryCount,
      date: now.addingTimeInterval(RetryDelay.after(tryCount)))
    let place = waiting.firstIndex { $0.tryCount > tryCount } ?? waiting.count
    waiting.insert(suspect, at: place)
    return true
  }

  mutating func remove(_ id: String) { waiting.removeAll { $0.run.id == id } }

  /// Takes the next one, if none is on trial.
  mutating func take(at now: Date, isBusy: (String) -> Bool) -> String? {
    if let current, isBusy(current.id), !hasLasted(since: current.date, at: now) { return nil }
    guard let first = waiting.first, RetryDelay.hasCome(first.date, at: now), !isBusy(first.run.id) else { return nil }
    waiting.removeFirst()
    current = (first.run.id, now)
    trialEnd = now.addingTimeInterval(Self.trial)
    return first.run.id
  }

  /// A run isn't at work any more.
  mutating func settle(_ id: String) { if current?.id == id { current = nil } }

  /// True if the supervisor has just lasted long enough, so that what is at work is suspected no longer.
  mutating func haveLasted(at now: Date) -> Bool {
    guard waiting.isEmpty, let trialEnd, RetryDelay.hasCome(trialEnd, at: now) else { return false }
    self.trialEnd = nil
    return true
  }

  private func hasLasted(since date: Date, at now: Date) -> Bool {
    RetryDelay.hasCome(date.addingTimeInterval(Self.trial), at: now)
  }
}
