/// Timers by their deadlines: a binary heap from which stopped ones are removed only now and then.
///
/// Most timeouts never fire, so stopping one has to be cheap.
struct TimerHeap: Sendable {
  private struct Entry: Sendable {
    let deadline: Duration
    let timer: TimerID

    /// Timers of one moment fire in the order of their places.
    func isBefore(_ other: Entry) -> Bool { (deadline, timer.place) < (other.deadline, other.timer.place) }
  }

  private var entries: [Entry] = []
  private var running: Set<TimerID> = []

  /// The number of timers that have neither been stopped nor taken.
  var count: Int { running.count }

  mutating func insert(_ timer: TimerID, _ deadline: Duration) {
    running.insert(timer)
    entries.append(Entry(deadline: deadline, timer: timer))
    siftUp(entries.count - 1)
  }

  /// Stops a timer; false if it isn't there.
  mutating func remove(_ timer: TimerID) -> Bool {
    guard running.remove(timer) != nil else { return false }
    // Otherwise timers that are stopped long before their deadlines would fill the memory.
    if entries.count > 2 * running.count + 64 {
      entries.removeAll { !running.contains($0.timer) }
      for index in stride(from: entries.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }
    return true
  }

  mutating func removeAll() { self = TimerHeap() }

  /// The deadline of the first timer; `nil` if there is none.
  mutating func firstDeadline() -> Duration? {
    while let first = entries.first {
      if running.contains(first.timer) { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Removes and returns the timers whose deadlines have come, in their order.
  mutating func takeDue(at now: Duration) -> [TimerID] {
    var due: [TimerID] = []
    while let first = entries.first, first.deadline <= now {
      removeFirst()
      if running.remove(first.timer) != nil { due.append(first.timer) }
    }
    return due
  }

  private mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    siftDown(0)
  }

  private mutating func siftUp(_ start: Int) {
    var index = start
    while index > 0, entries[index].isBefore(entries[(index - 1) / 2]) {
      entries.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
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
