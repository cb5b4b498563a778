/// Timers by their deadlines: a binary heap from which stopped timers are removed only occasionally.
///
/// Most timeouts never fire, so stopping a timer has to be cheap.
struct TimerHeap: ~Copyable, Sendable {
  private struct Entry: Sendable {
    let deadline: Duration
    let timer: TimerID

    /// Timers with the same deadline fire in the order of their slots.
    func isBefore(_ other: Entry) -> Bool { (deadline, timer.place) < (other.deadline, other.timer.place) }
  }

  private var entries: [Entry] = []
  /// The newest timer of each slot.
  private var places: [(timer: TimerID, isRunning: Bool)?] = []
  /// The number of timers that were neither stopped nor removed.
  private(set) var count = 0

  private func isRunning(_ timer: TimerID) -> Bool {
    guard timer.place < places.count, let last = places[timer.place] else { return false }
    return last.isRunning && last.timer == timer
  }

  /// Starts a timer; returns false if it was stopped before.
  ///
  /// Different threads start and stop timers outside of locks. So the stop may arrive first, and so may a later timer
  /// of the same slot.
  mutating func start(_ timer: TimerID, _ deadline: Duration) -> Bool {
    guard mark(timer, isRunning: true) else { return false }
    entries.append(Entry(deadline: deadline, timer: timer))
    var index = entries.count - 1
    while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
    return true
  }

  mutating func stop(_ timer: TimerID) {
    guard mark(timer, isRunning: false) else { return }
    // Otherwise timers that are stopped long before their deadlines would fill the memory.
    if entries.count > 2 * count + 64 {
      entries = entries.filter { isRunning($0.timer) }
      for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }
  }

  /// Records a timer's state in its slot, unless a later timer has the slot; returns false if this changes nothing.
  private mutating func mark(_ timer: TimerID, isRunning: Bool) -> Bool {
    while places.count <= timer.place { places.append(nil) }
    if let last = places[timer.place] {
      if last.timer == timer ? !last.isRunning || isRunning : timer.isEarlier(than: last.timer) { return false }
      if last.isRunning { count -= 1 }
    }
    places[timer.place] = (timer, isRunning)
    if isRunning { count += 1 }
    return true
  }

  mutating func firstDeadline() -> Duration? {
    while let first = entries.first {
      if isRunning(first.timer) { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Removes and returns the timers whose deadlines have passed, in their order.
  mutating func takeDue(at now: Duration) -> [TimerID] {
    var due: [TimerID] = []
    while let first = entries.first, first.deadline <= now {
      removeFirst()
      if mark(first.timer, isRunning: false) { due.append(first.timer) }
    }
    return due
  }

  private mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    siftDown(0)
  }

  private mutating func siftDown(_ start: Int) {
    var index = start
    while 2 * index + 1 < entries.count {
      var child = 2 * index + 1
      if child + 1 < entries.count, entries[child + 1].isBefore(entries[child]) { child += 1 }
      guard entries[child].isBefore(entries[index]) else { return }
      entries.swapAt(index, child)
      index = child
    }
  }
}
