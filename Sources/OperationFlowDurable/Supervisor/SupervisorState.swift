import Foundation
import OperationFlow

/// The runs of a supervisor and the state of its store, as a plain value.
///
/// Of a suspended run, only the identifier, a number and a date are stored. The dates are in a heap, so that one run is
/// woken quickly even if there are many.
struct SupervisorState: Sendable {
  /// The phase of a supervisor.
  enum Phase: Sendable {
    /// The supervisor has not started.
    case isNew
    case supervises
    case stops
    /// The supervisor has stopped, perhaps because of an error.
    case isOver(FlowError?)
  }

  /// A run that is under way, or is being opened.
  struct Running: Sendable {
    var run: SupervisedRun?
    /// True if the bell has rung for the run since the run was begun.
    var isRung = false
    /// True if the run does nothing but wait, and has to stay in memory.
    var isKept = false
  }

  /// A run that can't continue at present.
  struct Left: Sendable {
    var run: FlowUnfinishedRun
    /// The number of failures in a row.
    var failureCount: Int
    /// The number of the run's date in the heap, which older dates of the run don't have.
    var number: Int
  }

  /// The decision about a run that was looked at.
  enum Resolution {
    case opens(FoundRun.Beginning)
    /// The run is not under way any more.
    case isOver(StopWaiter?)
  }

  let limit: Int
  let retention: FlowRetention
  var phase = Phase.isNew
  var running: [String: Running] = [:]
  var whenStopped: CheckedContinuation<Void, Never>?
  /// The runs to be looked at, and to be begun if they can continue.
  private var ready = ReadyRuns()
  /// The suspended runs, each with the number of its date in the heap, which older dates of the run don't have.
  private(set) var resting: [String: Int] = [:]
  private var dues = DueHeap()
  private(set) var left: [String: Left] = [:]
  private var retries = DueHeap()
  private var lastNumber = 0
  /// The runs that were at work when the process ended, several times in a row.
  var suspects = SuspectedRuns()
  /// The ends that need no report.
  var notices = EndNotices()
  var contact = StoreContact()

  var removal: EndedRunRemoval
  var counts = FlowSupervisor.Counts()

  init(limit: Int, removingEnded retention: FlowRetention = .never) {
    self.limit = limit
    self.retention = retention
    removal = EndedRunRemoval(retention)
  }

  /// The date at which the first of the suspended runs is due.
  var firstDue: Date? { dues.first?.date }

  /// The number of stored dates of suspended runs, including those of runs that were woken before.
  var dueCount: Int { dues.count }

  var stops: Bool { if case .stops = phase { true } else { false } }

  /// The runs that can't continue at present, in the order of their identifiers.
  var leftRuns: [FlowUnfinishedRun] {
    let alone = left.filter { running[$0.key]?.run == nil }.map(\.value.run)
    return (alone + suspects.runs + contact.unreadable).sorted { $0.id < $1.id }
  }

  /// Returns true if an ended run may be removed: its end was reported, and nothing opens it.
  func mayRemove(_ id: String, begun: Date?) -> Bool {
    begun != nil && running[id] == nil && notices.told(id) == begun
  }

  /// Starts to supervise; returns false if the supervisor has started already.
  mutating func start() -> Bool {
    switch phase {
    case .supervises, .stops: return false
    case .isNew, .isOver: break
    }
    phase = .supervises
    return true
  }

  /// Begins with the notices, starts and trials of earlier supervisors.
  mutating func begin(_ contents: SupervisorBook.Contents, at now: Date) {
    notices.begin(contents)
    suspects = SuspectedRuns(contents, at: now)
    contact.begin(contents)
  }

  /// Removes everything but the counts, when nothing is under way any more.
  mutating func stop(because error: FlowError?) {
    let counts = counts
    self = SupervisorState(limit: limit, removingEnded: retention)
    self.counts = counts
    phase = .isOver(error)
  }

  // MARK: Found runs

  /// Ends a look at the store, which has found these runs, and journals that can't be read.
  mutating func endLook(_ ids: Set<String>, _ unreadable: [FlowUnfinishedRun], at now: Date) {
    if !contact.isLookedAt { contact.write(.starts) }
    if notices.endLook(ids) {
      contact.write(.told(notices.all.map { SupervisorBook.Telling(id: $0.key, begun: $0.value) }))
    }
    contact.endLook(unreadable, at: now)
  }

  /// Returns true if a look at the store needn't read the journal of a run.
  func knows(_ id: String) -> Bool {
    running[id] != nil || resting[id] != nil || left[id] != nil || ready.contains(id) || suspects.contains(id)
      || notices.isSettled(id)
  }

  /// Adds a run that a look has found; it is looked at once more before it is begun, because the look may be outdated.
  ///
  /// `crashCount` is the number of times in a row that a process ended in the same work of the run.
  mutating func add(_ found: FoundRun, _ id: String, crashCount: Int = 0, at now: Date) {
    if knows(id) { return }
    switch found {
    case .nothing: break
    case .ended(let beginning): if notices.isDue(id, beginning) { ready.append(id) }
    case .rests(_, let rest): keep(id, due: rest.due)
    case .left(let run): leave(id, run, at: now)
    case .ready(let beginning, let isInterrupted):
      if isInterrupted, suspects.add(id, beginning, crashCount, at: now) { return }
      ready.append(id)
    }
  }

  private mutating func keep(_ id: String, due: Date?) {
    left[id] = nil
    lastNumber += 1
    resting[id] = lastNumber
    guard let due else { return }
    // The dates of runs that a signal has woken stay until they are reached, or until they outnumber the others.
    if dues.count > 2 * resting.count + 16 { dues.keep { resting[$0.id] == $0.number } }
    dues.insert(DueHeap.Entry(date: due, number: lastNumber, id: id))
  }

  private mutating func leave(_ id: String, _ run: FlowUnfinishedRun, at now: Date) {
    lastNumber += 1
    let count = (left[id]?.failureCount ?? 0) + 1
    left[id] = Left(run: run, failureCount: count, number: lastNumber)
    if retries.count > 2 * left.count + 16 { retries.keep { left[$0.id]?.number == $0.number } }
    retries.insert(
      DueHeap.Entry(date: now.addingTimeInterval(RetryDelay.after(count)), number: lastNumber, id: id))
  }

  // MARK: Waking

  /// Makes a run ready to be looked at, because it was sent a signal; the run may be an unknown one.
  mutating func makeReady(_ id: String) {
    if running[id] != nil { running[id]?.isRung = true } else if !suspects.contains(id) { ready.append(id) }
    resting[id] = nil
  }

  mutating func makeAllReady() {
    for id in Array(resting.keys) + running.keys { makeReady(id) }
  }

  /// Removes and returns the runs to be looked at now, of which at most the last one is suspected of ending the
  /// process.
  mutating func takeReady(at now: Date) -> [String] {
    guard case .supervises = phase, contact.isLookedAt else { return [] }
    while let first = dues.first, first.date <= now {
      dues.removeFirst()
      if resting[first.id] == first.number { makeReady(first.id) }
    }
    while let first = retries.first, RetryDelay.hasCome(first.date, at: now) {
      retries.removeFirst()
      if left[first.id]?.number == first.number { ready.append(first.id) }
    }
    let (busy, busyCount) = (running, running.values.count { !$0.isKept })
    // A run that is being begun from outside stays, in case that fails.
    var taken = ready.take(max(0, limit - busyCount)) { busy[$0] == nil }
    if taken.count + busyCount < limit, let suspect = suspects.take(at: now, isBusy: { busy[$0] != nil }) {
      contact.write(.tries(suspect))
      taken.append(suspect)
    }
    for id in taken { running[id] = Running() }
    return taken
  }

  /// Decides about a run that was looked at.
  mutating func resolve(_ found: FoundRun, _ id: String, at now: Date) -> Resolution {
    if stops { return .isOver(end(id)) }
    switch found {
    case .nothing: return .isOver(settle(id))
    case .left(let run): return .isOver(fail(id, run, at: now))
    case .ended(let beginning): return notices.isDue(id, beginning) ? .opens(beginning) : .isOver(settle(id))
    case .rests(let beginning, let rest):
      if let due = rest.due, due <= now { return .opens(beginning) }
      return .isOver(self.rest(id, rest, at: now))
    case .ready(let beginning, _):
      guard notices.told(id) == beginning.date else { return .opens(beginning) }
      // The run has ended, but its end could not be written to its journal.
      return .isOver(fail(id, beginning.left(id, .lostJournal(id)), at: now))
    }
  }

  // MARK: Runs that are under way

  /// Adds a run that is begun from outside.
  ///
  /// - Throws: An error if the run is under way or suspended, or if the supervisor doesn't supervise.
  mutating func begin(_ id: String) throws {
    switch phase {
    case .isNew, .supervises: break
    case .stops: throw FlowError.supervisorStops(id)
    case .isOver(let error): throw FlowError.notSupervising(id, error)
    }
    guard running[id] == nil, resting[id] == nil else { throw FlowError.runInUse(id, by: "this supervisor") }
    running[id] = Running()
  }

  /// Records that a run was opened.
  mutating func open(_ id: String, _ run: SupervisedRun) {
    running[id]?.run = run
    counts.opened += 1
    ready.remove(id)
    suspects.remove(id)
  }

  /// Removes a run that was begun from outside and had ended; its end is reported if that was never done.
  mutating func reportLater(_ id: String) -> StopWaiter? {
    ready.append(id)
    return end(id)
  }

  /// Records that the listener was called for the end of a run.
  mutating func reported(_ id: String, begun: Date?) -> StopWaiter? {
    if let begun {
      notices.tell(id, begun: begun)
      contact.write(.told([SupervisorBook.Telling(id: id, begun: begun)]))
    }
    // The listener may have retried the run.
    let isRung = running[id]?.isRung == true
    defer { if isRung { makeReady(id) } }
    return settle(id)
  }

  /// Removes a run that is not under way any more, and has no error.
  private mutating func settle(_ id: String) -> StopWaiter? {
    left[id] = nil
    return end(id)
  }

  /// Removes a run that is not under way any more; returns the continuation that waits for the last one.
  @discardableResult
  mutating func end(_ id: String) -> StopWaiter? {
    running[id] = nil
    suspects.settle(id)
    guard stops, running.isEmpty else { return nil }
    return whenStopped.take()
  }

  /// Removes a run that can't continue; a later look finds the run again if another process has it open.
  mutating func fail(_ id: String, _ run: FlowUnfinishedRun, at now: Date) -> StopWaiter? {
    if run.error?.code == .runInUse { left[id] = nil } else { leave(id, run, at: now) }
    return giveUp(id)
  }

  /// Removes a run that can't continue, or be begun; it is looked at once more if the bell has rung for it meanwhile.
  mutating func giveUp(_ id: String) -> StopWaiter? {
    let isRung = running[id]?.isRung == true
    defer { if isRung { makeReady(id) } }
    return end(id)
  }

  /// Removes a run that was suspended; `hasMore` is true if its mailbox has messages that the run hasn't read.
  mutating func rest(_ id: String, _ rest: JournalRest?, hasMore: Bool = false, at now: Date) -> StopWaiter? {
    defer { running[id] = nil }
    if !stops {
      if let rest, running[id]?.isRung != true {
        // The sender rings the bell, unless that fails. Without a delay, the run could be woken and suspended over and
        // over.
        let soon = now.addingTimeInterval(RetryDelay.after(1))
        keep(id, due: hasMore ? min(soon, rest.due ?? soon) : rest.due)
      } else {
        ready.append(id)
      }
    }
    return settle(id)
  }
}

/// The continuation of a call that waits until nothing is under way.
typealias StopWaiter = CheckedContinuation<Void, Never>
