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
  /// How many have ended and keep their places, because their results are being handed on.
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

  /// An item keeps its place after its end.
  mutating func hold() { held += 1 }
  mutating func release() { held -= 1 }

  /// Whether no more have failed than may fail; a share is one of all items, so it says nothing before they are there.
  private var mayGoOn: Bool {
    guard let share else { return failed <= tolerance }
    if share == 0 { return failed == 0 }
    return !areAllThere || failed * 100 <= share * came
  }
}
