import Foundation
import OperationFlow

/// What a supervisor knows about the runs of its store, as a plain value.
///
/// Of a run that rests it keeps the identifier and two numbers. What is due is in a heap, so that it takes no longer to wake
/// one run if there are many.
struct SupervisorState: Sendable {
  /// True if it supervises.
  enum Phase: Sendable {
    /// Not yet.
    case isNew
    case supervises
    case stops
    /// Not any more, perhaps because of an error.
    case isOver(FlowError?)
  }

  /// A run that is under way, or is being opened.
  struct Running: Sendable {
    var run: SupervisedRun?
    /// Whether it has been rung for since it was begun.
    var isRung = false
    /// True if it does nothing but wait, and has to stay in memory.
    var isKept = false
  }

  /// A run that can't go on at present.
  struct Left: Sendable {
    var run: FlowUnfinishedRun
    /// How often it has failed in a row.
    var failureCount: Int
    /// What tells its date in the heap from older ones.
    var number: Int
  }

  /// What becomes of a run that was looked at.
  enum Resolution {
    case opens(FoundRun.Beginning)
    /// It is not under way any more.
    case isOver(StopWaiter?)
  }

  let limit: Int
  let retention: FlowRetention
  var phase = Phase.isNew
  var running: [String: Running] = [:]
  var whenStopped: CheckedContinuation<Void, Never>?
  /// What is to be looked at, and begun if it can go on.
  private var ready = ReadyRuns()
  /// The runs that were put away, with what tells the entry of each in the heap from an older one.
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

  /// When the first of the runs that rest is due.
  var firstDue: Date? { dues.first?.date }

  /// The number of stored dates of runs that rest, including those of runs that were woken before.
  var dueCount: Int { dues.count }

  var stops: Bool { if case .stops = phase { true } else { false } }

  /// The runs that are left alone, in the order of their identifiers.
  var leftRuns: [FlowUnfinishedRun] {
    let alone = left.filter { running[$0.key]?.run == nil }.map(\.value.run)
    return (alone + suspects.runs + contact.unreadable).sorted { $0.id < $1.id }
  }

  /// True if an ended run may be removed: its end was reported, and nothing opens it.
  func mayRemove(_ id: String, begun: Date?) -> Bool {
    begun != nil && running[id] == nil && notices.told(id) == begun
  }

  /// Starts to supervise; false if it does already.
  mutating func start() -> Bool {
    switch phase {
    case .supervises, .stops: return false
    case .isNew, .isOver: break
    }
    phase = .supervises
    return true
  }

  /// Begins with what the supervisors before have left.
  mutating func begin(_ contents: SupervisorBook.Contents, at now: Date) {
    notices.begin(contents)
    suspects = SuspectedRuns(contents, at: now)
    contact.begin(contents)
  }

  /// Forgets everything but what it has counted, when nothing is under way any more.
  mutating func stop(because error: FlowError?) {
    let counts = counts
    self = SupervisorState(limit: limit, removingEnded: retention)
    self.counts = counts
    phase = .isOver(error)
  }

  // MARK: What was found

  /// The store has been looked at: it has these runs, and journals that can't be read.
  mutating func endLook(_ ids: Set<String>, _ unreadable: [FlowUnfinishedRun], at now: Date) {
    if !contact.isLookedAt { contact.write(.starts) }
    if notices.endLook(ids) {
      contact.write(.told(notices.all.map { SupervisorBook.Telling(id: $0.key, begun: $0.value) }))
    }
    contact.endLook(unreadable, at: now)
  }

  /// True if a look at the store has nothing to find out about a run.
  func knows(_ id: String) -> Bool {
    running[id] != nil || resting[id] != nil || left[id] != nil || ready.contains(id) || suspects.contains(id)
      || notices.isSettled(id)
  }

  /// Notes what a look has found, which may be too old: a run that is begun is looked at once more.
  ///
  /// `crashCount` says how often a process has ended in the same work of the run.
  mutating func note(_ found: FoundRun, _ id: String, crashCount: Int = 0, at now: Date) {
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
    // The dates of runs that a signal has woken stay until they come, or until they outnumber the others.
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

  /// Lets a run be looked at, because it has been sent a signal; it may be one that isn't known.
  mutating func makeReady(_ id: String) {
    if running[id] != nil { running[id]?.isRung = true } else if !suspects.contains(id) { ready.append(id) }
    resting[id] = nil
  }

  mutating func makeAllReady() {
    for id in Array(resting.keys) + running.keys { makeReady(id) }
  }

  /// Takes what is to be looked at now; what was at work when the process ended comes last, one at a time.
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
    // What is being begun from outside stays, in case that fails.
    var taken = ready.take(max(0, limit - busyCount)) { busy[$0] == nil }
    if taken.count + busyCount < limit, let suspect = suspects.take(at: now, isBusy: { busy[$0] != nil }) {
      contact.write(.tries(suspect))
      taken.append(suspect)
    }
    for id in taken { running[id] = Running() }
    return taken
  }

  /// Decides what becomes of a run that was taken, and looked at.
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
      // It has ended without its journal.
      return .isOver(fail(id, beginning.left(id, .lostJournal(id)), at: now))
    }
  }

  // MARK: Runs that are under way

  /// Begins a run from outside.
  ///
  /// - Throws: An error if it is under way or put away, or if the supervisor doesn't supervise.
  mutating func begin(_ id: String) throws {
    switch phase {
    case .isNew, .supervises: break
    case .stops: throw FlowError.supervisorStops(id)
    case .isOver(let error): throw FlowError.notSupervising(id, error)
    }
    guard running[id] == nil, resting[id] == nil else { throw FlowError.runInUse(id, by: "this supervisor") }
    running[id] = Running()
  }

  /// A run has been opened.
  mutating func open(_ id: String, _ run: SupervisedRun) {
    running[id]?.run = run
    counts.opened += 1
    ready.remove(id)
    suspects.remove(id)
  }

  /// A run that was begun from outside had ended: its end is reported if that was never done.
  mutating func reportLater(_ id: String) -> StopWaiter? {
    ready.append(id)
    return end(id)
  }

  /// The listener has been called for the end of a run.
  mutating func reported(_ id: String, begun: Date?) -> StopWaiter? {
    if let begun {
      notices.tell(id, begun: begun)
      contact.write(.told([SupervisorBook.Telling(id: id, begun: begun)]))
    }
    // The listener may have retried it.
    let isRung = running[id]?.isRung == true
    defer { if isRung { makeReady(id) } }
    return settle(id)
  }

  /// A run is not under way any more, and nothing is wrong with it.
  private mutating func settle(_ id: String) -> StopWaiter? {
    left[id] = nil
    return end(id)
  }

  /// A run is not under way any more; returns what waits for the last one.
  @discardableResult
  mutating func end(_ id: String) -> StopWaiter? {
    running[id] = nil
    suspects.settle(id)
    guard stops, running.isEmpty else { return nil }
    return whenStopped.take()
  }

  /// A run can't go on; one that another process has is found again by a later look.
  mutating func fail(_ id: String, _ run: FlowUnfinishedRun, at now: Date) -> StopWaiter? {
    if run.error?.code == .runInUse { left[id] = nil } else { leave(id, run, at: now) }
    return giveUp(id)
  }

  /// A run could not be begun, or can't go on; if it was rung for meanwhile, it is looked at once more.
  mutating func giveUp(_ id: String) -> StopWaiter? {
    let isRung = running[id]?.isRung == true
    defer { if isRung { makeReady(id) } }
    return end(id)
  }

  /// A run was put away; `hasMore` if its mailbox has what the run hasn't read.
  mutating func rest(_ id: String, _ rest: JournalRest?, hasMore: Bool = false, at now: Date) -> StopWaiter? {
    defer { running[id] = nil }
    if !stops {
      if let rest, running[id]?.isRung != true {
        // Who has sent it rings, unless that fails: the same again would follow at once otherwise.
        let soon = now.addingTimeInterval(RetryDelay.after(1))
        keep(id, due: hasMore ? min(soon, rest.due ?? soon) : rest.due)
      } else {
        ready.append(id)
      }
    }
    return settle(id)
  }
}

/// Who waits until nothing is under way.
typealias StopWaiter = CheckedContinuation<Void, Never>
