/// The items of a group that a simulated run is at.
struct ReferenceItems: Sendable {
  private let count: Int
  private let width: Int
  private let tolerance: Int
  /// The percentage of the items that may fail, in place of a number.
  private let share: Int?
  private var came = 0
  private var started = 0
  private var ended = 0
  private var failed = 0
  /// The number of ended items that still occupy their places, because their results are being delivered.
  private var held = 0
  private var areAllThere = false
  private var isPulling = false

  init(_ group: SimulatedFlow.Group) {
    (count, width, tolerance, share) = (group.items.count, group.width, group.tolerance, group.share)
    if !group.isStreamed { (came, areAllThere) = (count, true) }
  }

  private var free: Int { width - (started - ended) - held }
  private var startable: Int { max(0, min(free, came - started)) }
  private var canPull: Bool { !areAllThere && !isPulling && came - started < free }

  var claimableCount: Int { startable + (canPull ? 1 : 0) }
  var areDone: Bool { areAllThere && ended == came && held == 0 }
  /// Returns the finished fraction of the group, with the reports of its running items; 0 while more items may
  /// arrive.
  func fraction(reported: Double) -> Double {
    areAllThere ? (Double(ended) + reported) / Double(max(1, came)) : 0
  }

  /// True if a pull finds an item.
  var hasNext: Bool { came < count }

  /// Starts an item; returns false if it is not the item's turn.
  mutating func start(_ index: Int) -> Bool {
    guard startable > 0, index == started else { return false }
    started += 1
    return true
  }

  /// Starts a pull; returns false if a pull is not possible now.
  mutating func pull() -> Bool {
    guard canPull, startable == 0 else { return false }
    isPulling = true
    return true
  }

  /// Ends a pull; returns false if more items have failed than may fail.
  mutating func pulled() -> Bool {
    isPulling = false
    if hasNext { came += 1 } else { areAllThere = true }
    return mayGoOn
  }

  /// Ends an item; returns false if more items have failed than may fail.
  mutating func ended(_ end: SimulatedFlow.End) -> Bool {
    ended += 1
    if end != .success { failed += 1 }
    return end == .success || mayGoOn
  }

  /// Reserves the place of an item that has ended.
  mutating func hold() { held += 1 }
  mutating func release() { held -= 1 }

  /// True if no more items have failed than may fail; a share is checked once the number of items is final.
  private var mayGoOn: Bool {
    guard let share else { return failed <= tolerance }
    if share == 0 { return failed == 0 }
    return !areAllThere || failed * 100 <= share * came
  }
}
