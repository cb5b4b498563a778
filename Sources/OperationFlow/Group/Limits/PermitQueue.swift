protocol PermitWaiter: AnyObject, Sendable {
  /// Resumes the waiter, which has its permit now; returns the limiters whose permits the waiter has released.
  ///
  /// It is called outside of all locks.
  func permitArrived() -> [FlowLimiter]
}

/// Decides which waiters get the permits of a limiter, as a plain value without locks, clocks, or code of the waiters.
///
/// A waiter with a higher precedence is served before all others; within a precedence, the first in the queue is served
/// first. No permit goes to a newcomer while anyone waits. Times only increase: an earlier time counts as the latest
/// one so far.
package struct PermitQueue: ~Copyable, Sendable {
  package struct Rate: Sendable {
    package let starts: Int
    package let period: Duration
  }

  /// The longest period, above which sums of times would overflow.
  private static let longest = Duration.seconds(Int64(1) << 40)

  let limit: Int
  private let rate: Rate?
  private var now = Duration.zero
  private(set) var heldCount = 0
  /// The number of permits whose work has not begun: each counts as a start at an unknown later time.
  private var unbegunCount = 0
  /// The starts in the window that ends now, the oldest first.
  private var starts = Fifo<Duration>()
  /// The waiters by place: the number of waiters that were added before.
  private var waiters = [Int: any PermitWaiter]()
  private var nextPlace = 0
  /// The places of the waiters, and of some that have left, by precedence: the highest first.
  private var lines: [Line] = []

  private struct Line: Sendable {
    let precedence: Int
    var places = Fifo<Int>()
  }

  /// Creates a queue; a number below 1 counts as 1, so that nothing waits forever.
  ///
  /// A flow is refused if its limiter has such numbers.
  init(limit: Int, rate: Rate? = nil) {
    self.limit = max(1, limit)
    self.rate = rate.map { Rate(starts: max(1, $0.starts), period: min(max(.zero, $0.period), Self.longest)) }
  }

  var waitingCount: Int { waiters.count }

  /// Acquires a permit if one is free and no one waits for it; returns false if the caller has to wait.
  mutating func acquire(at time: Duration) -> Bool {
    passTime(to: time)
    guard waiters.isEmpty, hasPermit else { return false }
    hold()
    return true
  }

  /// Adds a waiter, and returns its place, which is unique.
  mutating func wait(_ waiter: any PermitWaiter, precedence: Int = 0) -> Int {
    let place = nextPlace
    waiters[place] = waiter
    nextPlace += 1
    let index = lines.firstIndex { $0.precedence <= precedence } ?? lines.endIndex
    if index == lines.endIndex || lines[index].precedence != precedence {
      lines.insert(Line(precedence: precedence), at: index)
    }
    lines[index].places.append(place)
    return place
  }

  /// Removes and returns the first waiter; `nil` if there is none.
  private mutating func popFirst() -> (any PermitWaiter)? {
    while !lines.isEmpty {
      while let place = lines[0].places.popFirst() {
        if let waiter = waiters.removeValue(forKey: place) { return waiter }
      }
      lines.removeFirst()
    }
    return nil
  }

  /// Removes a waiter; returns false if it has left already, or was granted a permit.
  mutating func leave(_ place: Int) -> Bool {
    defer { if waiters.isEmpty { lines = [] } }
    return waiters.removeValue(forKey: place) != nil
  }

  /// Grants the free permits to waiters, and returns those waiters.
  mutating func grant(at time: Duration) -> [any PermitWaiter] {
    passTime(to: time)
    var granted: [any PermitWaiter] = []
    while hasPermit, let waiter = popFirst() {
      hold()
      granted.append(waiter)
    }
    return granted
  }

  /// Counts the start of a permit's work; returns the time that was counted.
  @discardableResult
  mutating func begin(at time: Duration) -> Duration {
    guard rate != nil else { return time }
    passTime(to: time)
    unbegunCount -= 1
    starts.append(now)
    return now
  }

  /// Removes a start that was counted for this time: it is still to be counted.
  mutating func removeStart(at time: Duration) {
    guard rate != nil else { return }
    unbegunCount += 1
    starts.removeLast { $0 == time }
  }

  /// Counts starts from before the queue was created, in the order of their times.
  mutating func recordStarts(_ earlier: [Duration], at time: Duration) {
    guard rate != nil else { return }
    let times = (starts.elements + earlier).sorted(by: <)
    starts = Fifo()
    for time in times { starts.append(time) }
    passTime(to: time)
  }

  /// Releases a permit; if its work has not begun, it doesn't count as a start.
  mutating func release(hasBegun: Bool) {
    heldCount -= 1
    if rate != nil, !hasBegun { unbegunCount -= 1 }
  }

  /// The time when the first waiter can get a permit; `nil` if that doesn't depend on the time alone.
  var nextGrant: Duration? {
    guard let rate, !waiters.isEmpty, heldCount < limit, let oldest = starts.first else { return nil }
    return oldest + rate.period
  }

  private var hasPermit: Bool {
    guard heldCount < limit else { return false }
    return rate.map { starts.count + unbegunCount < $0.starts } ?? true
  }

  private mutating func hold() {
    heldCount += 1
    if rate != nil { unbegunCount += 1 }
  }

  private mutating func passTime(to time: Duration) {
    guard let rate else { return }
    now = max(now, time)
    while let oldest = starts.first, oldest + rate.period <= now { _ = starts.popFirst() }
  }
}
