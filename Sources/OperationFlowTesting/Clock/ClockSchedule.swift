import OperationFlow

/// The moment that a clock shows, and the calls and sleeps that wait for later moments: a plain value.
struct ClockSchedule: Sendable {
  /// The action at a moment.
  enum Wake: Sendable {
    /// The end of a sleep, and the work of a run that sleeps, if there is any.
    case sleep(CheckedContinuation<Void, any Error>, DrivenWork?)
    case call(@Sendable () -> Void)
  }

  private struct Place: Sendable {
    let deadline: ManualClock.Instant
    let number: Int

    func isBefore(_ other: Place) -> Bool { (deadline, number) < (other.deadline, other.number) }
  }

  private(set) var now = ManualClock.Instant()
  private var wakes: [Int: Wake] = [:]
  /// A heap with the first moment at the top; places whose wake was removed are dropped when they reach the top.
  private var heap: [Place] = []

  var count: Int { wakes.count }
  /// The work of runs that waits for nothing but later moments, or that time need not wait for.
  var waits = ClockWaits()

  /// Adds a wake at a moment; of several at the same moment, the one with the lowest number is the first.
  mutating func add(_ number: Int, at deadline: ManualClock.Instant, _ wake: Wake) {
    wakes[number] = wake
    if case .sleep(_, let work?) = wake { waits.countWait(of: work, begins: true) }
    heap.append(Place(deadline: deadline, number: number))
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  /// Removes and returns a wake; `nil` if there is none with the number.
  mutating func remove(_ number: Int) -> Wake? {
    let wake = wakes.removeValue(forKey: number)
    if case .sleep(_, let work?) = wake { waits.countWait(of: work, begins: false) }
    return wake
  }

  /// Moves to the first moment that has a wake, and removes the wake; `nil` if there is none up to the limit.
  mutating func takeNext(notAfter limit: ManualClock.Instant?) -> Wake? {
    while let first = heap.first {
      guard wakes[first.number] != nil else {
        dropFirst()
        continue
      }
      if let limit, limit < first.deadline { return nil }
      dropFirst()
      now = max(now, first.deadline)
      return remove(first.number)
    }
    return nil
  }

  /// Moves to a moment before which there is no wake any more.
  mutating func move(to moment: ManualClock.Instant) { now = max(now, moment) }

  private mutating func dropFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var index = 0
    while true {
      let children = (2 * index + 1)..<min(2 * index + 3, max(heap.count, 2 * index + 1))
      guard let first = children.min(by: { heap[$0].isBefore(heap[$1]) }), heap[first].isBefore(heap[index]) else {
        return
      }
      heap.swapAt(index, first)
      index = first
    }
  }
}
