protocol PermitWaiter: AnyObject, Sendable {
  /// Called outside of all locks, once it has the permit; returns the limiters whose permits it has given back.
  func permitArrived() -> [FlowLimiter]
}

/// Decides who gets the permits of a limiter: a plain value without locks, clocks, or code of those who wait.
///
/// First come, first served, among those of the same precedence: those with a higher one come before all others. No permit
/// goes to a newcomer while anyone waits. Times only increase: an earlier
/// one counts as the latest one so far.
package struct PermitQueue: ~Copyable, Sendable {
  package struct Rate: Sendable {
    package let starts: Int
    package let period: Duration
  }

  /// A longer period would take sums of times out of their range.
  private static let longest = Duration.seconds(Int64(1) << 40)

  let limit: Int
  private let rate: Rate?
  private var now = Duration.zero
  private(set) var heldCount = 0
  /// Permits whose work has not begun: each is a start that is still to come, at a time that isn't known.
  private var unbegunCount = 0
  /// The starts that a window that ends now contains, the oldest first.
  private var starts = Fifo<Duration>()
  /// Those who wait, by their places: how many have begun to wait before them.
  private var waiters = [Int: any PermitWaiter]()
  private var nextPlace = 0
  /// The places of those who wait, and of some who have left, by precedence: the highest first.
  private var lines: [Line] = []

  private struct Line: Sendable {
    let precedence: Int
    var places = Fifo<Int>()
  }

  /// Numbers below 1 count as 1, so that nothing waits forever; a limiter with such numbers is refused elsewhere.
  init(limit: Int, rate: Rate? = nil) {
    self.limit = max(1, limit)
    self.rate = rate.map { Rate(starts: max(1, $0.starts), period: min(max(.zero, $0.period), Self.longest)) }
  }

  var waitingCount: Int { waiters.count }

  /// Takes a permit if there is one and no one waits for it; false if the caller has to wait.
  mutating func acquire(at time: Duration) -> Bool {
    passTime(to: time)
    guard waiters.isEmpty, hasPermit else { return false }
    hold()
    return true
  }

  /// Adds one to those who wait, and returns its place, which no other ever has.
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

  /// Takes out the one who is first; `nil` if no one waits.
  private mutating func popFirst() -> (any PermitWaiter)? {
    while !lines.isEmpty {
      while let place = lines[0].places.popFirst() {
        if let waiter = waiters.removeValue(forKey: place) { return waiter }
      }
      lines.removeFirst()
    }
    return nil
  }

  /// Takes one from those who wait; false if it has left already, or has been given a permit.
  mutating func leave(_ place: Int) -> Bool {
    defer { if waiters.isEmpty { lines = [] } }
    return waiters.removeValue(forKey: place) != nil
  }

  /// Gives permits to those who wait, as far as there are any, and returns who has got one.
  mutating func grant(at time: Duration) -> [any PermitWaiter] {
    passTime(to: time)
    var granted: [any PermitWaiter] = []
    while hasPermit, let waiter = popFirst() {
      hold()
      granted.append(waiter)
    }
    return granted
  }

  /// The work of a permit begins, which is what the rate counts; returns the time that it counts for.
  @discardableResult
  mutating func begin(at time: Duration) -> Duration {
    guard rate != nil else { return time }
    passTime(to: time)
    unbegunCount -= 1
    starts.append(now)
    return now
  }

  /// A start that counts for a time was none: it is still to come.
  mutating func takeBackBeginning(at time: Duration) {
    guard rate != nil else { return }
    unbegunCount += 1
    starts.removeLast { $0 == time }
  }

  /// Counts starts that happened before the queue was there, in the order of their times.
  mutating func recordStarts(_ earlier: [Duration], at time: Duration) {
    guard rate != nil else { return }
    let times = (starts.elements + earlier).sorted(by: <)
    starts = Fifo()
    for time in times { starts.append(time) }
    passTime(to: time)
  }

  /// Takes a permit back; if its work has not begun, it is no start.
  mutating func giveBack(hasBegun: Bool) {
    heldCount -= 1
    if rate != nil, !hasBegun { unbegunCount -= 1 }
  }

  /// When the first of those who wait can get a permit; `nil` if that doesn't depend on the time alone.
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
