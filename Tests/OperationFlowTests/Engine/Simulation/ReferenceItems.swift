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
  private var areAllThere = false
  private var isPulling = false

  init(_ group: SimulatedFlow.Group) {
    (count, width, tolerance, share) = (group.items.count, group.width, group.tolerance, group.share)
    if !group.isStreamed { (came, areAllThere) = (count, true) }
  }

  private var free: Int { width - (started - ended) }
  private var startable: Int { min(free, came - started) }
  private var canPull: Bool { !areAllThere && !isPulling && came - started < free }

  var claimableCount: Int { startable + (canPull ? 1 : 0) }
  var areDone: Bool { areAllThere && ended == came }
  /// How much of the group is done, with what its running items report; nothing as long as more can come.
  func fraction(reported: Double) -> Double {
    areAllThere ? (Double(ended) + reported) / Double(max(1, came)) : 0
  }

  /// Whether a pull finds an item.
  var hasNext: Bool { came < count }

  /// False if it is not this item's turn.
  mutating func start(_ index: Int) -> Bool {
    guard startable > 0, index == started else { return false }
    started += 1
    return true
  }

  /// False if it is not time to pull.
  mutating func pull() -> Bool {
    guard canPull, startable == 0 else { return false }
    isPulling = true
    return true
  }

  /// False if more have failed than may fail.
  mutating func pulled() -> Bool {
    isPulling = false
    if hasNext { came += 1 } else { areAllThere = true }
    return mayGoOn
  }

  /// False if more have failed than may fail.
  mutating func ended(_ end: SimulatedFlow.End) -> Bool {
    ended += 1
    if end != .success { failed += 1 }
    return end == .success || mayGoOn
  }

  /// Whether no more have failed than may fail; a share is one of all items, so it says nothing before they are there.
  private var mayGoOn: Bool {
    guard let share else { return failed <= tolerance }
    if share == 0 { return failed == 0 }
    return !areAllThere || failed * 100 <= share * came
  }
}
