import Foundation
import OperationFlow

/// What a supervisor knows about the runs of its store, as a plain value.
///
/// Of a run that rests it keeps the identifier and two numbers. What is due is in a heap, so that it takes no longer to wake
/// one run if there are many.
struct SupervisorState: Sendable {
  /// A run that is under way, or is being opened.
  struct Running: Sendable {
    var run: SupervisedRun?
    /// Whether it has been rung for since it was begun.
    var isRung = false
    /// Whether it was begun from outside.
    var isBegun = false
  }

  let limit: Int
  private(set) var ready: [(id: String, flow: Int)] = []
  /// The runs that were begun from outside before the store had been looked at, which found them as they were before.
  private var openedEarly: Set<String>? = []
  var running: [String: Running] = [:]
  /// The runs that were put away: the place of each one's flow, and what tells its entry in the heap from an older one.
  private(set) var resting: [String: (flow: Int, number: Int)] = [:]
  var left: [String: FlowUnfinishedRun] = [:]
  private var dues = DueHeap()
  private var lastNumber = 0
  /// The number of the bell's last entry that was read.
  var lastRing = 0
  /// Runs that another process has, which may leave them.
  private var elsewhere: [(id: String, flow: Int)] = []
  /// How often the bell was looked at.
  private(set) var rounds = 0
  var isStopping = false
  var whenStopped: CheckedContinuation<Void, Never>?

  init(limit: Int) { self.limit = limit }

  /// When the first of the runs that rest is due.
  var firstDue: Date? { dues.first?.date }

  // MARK: What was found

  mutating func note(_ found: FoundRun, _ id: String) {
    guard openedEarly?.contains(id) != true else { return }
    switch found {
    case .nothing: break
    case .ready(let flow): ready.append((id, flow))
    case .rests(let flow, let rest): keep(id, flow, due: rest.due)
    case .left(let run): left[id] = run
    }
  }

  /// The store has been looked at.
  mutating func endLook() { openedEarly = nil }

  private mutating func keep(_ id: String, _ flow: Int, due: Date?) {
    lastNumber += 1
    resting[id] = (flow, lastNumber)
    guard let due else { return }
    // The dates of runs that a signal has woken stay until they come, or until they outnumber the others.
    if dues.count > 2 * resting.count + 16 { dues.keep { resting[$0.id]?.number == $0.number } }
    dues.insert(DueHeap.Entry(date: due, number: lastNumber, id: id))
  }

  /// How many dates it keeps, those of runs that were woken before included.
  var dueCount: Int { dues.count }

  // MARK: Waking

  /// A run has been sent a signal.
  mutating func makeReady(_ id: String) {
    if running[id] != nil { running[id]?.isRung = true }
    guard let rest = resting.removeValue(forKey: id) else { return }
    ready.append((id, rest.flow))
  }

  mutating func makeAllReady() {
    for id in resting.keys { makeReady(id) }
  }

  /// Takes what may begin now.
  mutating func takeReady(at now: Date) -> [(id: String, flow: Int)] {
    while let first = dues.first, first.date <= now {
      dues.removeFirst()
      if resting[first.id]?.number == first.number { makeReady(first.id) }
    }
    guard !isStopping, running.count < limit, !ready.isEmpty else { return [] }
    var (taken, kept, place): ([(id: String, flow: Int)], [(id: String, flow: Int)], Int) = ([], [], 0)
    while place < ready.count, running.count < limit {
      let run = ready[place]
      place += 1
      // What is being begun from outside stays, in case that fails.
      if running[run.id] != nil {
        kept.append(run)
      } else {
        running[run.id] = Running()
        taken.append(run)
      }
    }
    ready.replaceSubrange(..<place, with: kept)
    return taken
  }

  /// A run is to be begun from outside; false if it is known already.
  mutating func begin(_ id: String) -> Bool {
    guard running[id] == nil, resting[id] == nil, !isStopping else { return false }
    running[id] = Running(isBegun: true)
    return true
  }

  /// A run has been opened; if it was begun from outside, what was known of it before holds no longer.
  mutating func open(_ id: String, _ run: SupervisedRun?) {
    running[id]?.run = run
    guard running[id]?.isBegun == true else { return }
    (left[id], resting[id]) = (nil, nil)
    ready.removeAll { $0.id == id }
    elsewhere.removeAll { $0.id == id }
    openedEarly?.insert(id)
  }

  // MARK: Ends

  /// A run is not under way any more; returns what waits for the last one.
  @discardableResult
  mutating func end(_ id: String) -> CheckedContinuation<Void, Never>? {
    running[id] = nil
    guard isStopping, running.isEmpty else { return nil }
    return whenStopped.take()
  }

  /// A run can't be resumed.
  mutating func fail(_ id: String, _ flow: Int, _ run: FlowUnfinishedRun) -> CheckedContinuation<Void, Never>? {
    if run.error?.code == .runInUse { elsewhere.append((id, flow)) } else { left[id] = run }
    return end(id)
  }

  /// Tries now and then whether other processes have left their runs.
  mutating func noteRound() {
    rounds += 1
    guard rounds % 240 == 0 else { return }
    ready += elsewhere
    elsewhere = []
  }

  /// A run was put away.
  mutating func rest(
    _ id: String, _ flow: Int, _ rest: JournalRest?, isRung: Bool
  ) -> CheckedContinuation<Void, Never>? {
    if !isStopping {
      if let rest, !isRung, running[id]?.isRung != true {
        keep(id, flow, due: rest.due)
      } else {
        ready.append((id, flow))
      }
    }
    return end(id)
  }
}

/// The dates of runs, the earliest first.
struct DueHeap: Sendable {
  struct Entry: Sendable {
    let date: Date
    let number: Int
    let id: String
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }
  var count: Int { entries.count }

  /// Keeps those that a function returns true for.
  mutating func keep(_ isKept: (Entry) -> Bool) {
    let kept = entries.filter(isKept)
    entries = []
    for entry in kept { insert(entry) }
  }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var index = entries.count - 1
    while index > 0, entries[index].date < entries[(index - 1) / 2].date {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = entries.popLast(), !entries.isEmpty else { return }
    entries[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < entries.count && entries[child].date < entries[least].date {
        least = child
      }
      if least == index { return }
      entries.swapAt(index, least)
      index = least
    }
  }
}
