/// A limit on the items of a group that may fail without failing the group.
public struct FlowTolerance: Sendable, Hashable {
  package enum Rule: Sendable, Hashable {
    case count(Int)
    case share(Double)
  }

  package let rule: Rule

  /// No failures: the first one stops the group.
  public static let none = FlowTolerance(rule: .count(0))
  /// Any number of failures: the group always continues to its last item, and succeeds.
  public static let all = FlowTolerance(rule: .count(.max))

  /// At most this number of failures; the next one stops the group.
  ///
  /// - Parameter count: The number of items that may fail; the flow is refused if this is below 0.
  /// - Returns: The tolerance.
  public static func failures(_ count: Int) -> FlowTolerance { FlowTolerance(rule: .count(count)) }

  /// At most this share of all items, such as 0.05: one of 20, and none of 19.
  ///
  /// The group stops as soon as more items have failed than this share, rounded down. If the number of items isn't
  /// known, as in an asynchronous sequence, any number may fail until the last item has arrived.
  ///
  /// - Parameter share: The part of the items that may fail, from 0 to 1; otherwise, the flow is refused.
  /// - Returns: The tolerance.
  public static func share(_ share: Double) -> FlowTolerance {
    // Shares of 0 and 1 don't depend on the number of items.
    if share == 0 { return .none }
    return share == 1 ? .all : FlowTolerance(rule: .share(share))
  }

  var isShare: Bool { if case .share = rule { true } else { false } }

  var error: FlowError? {
    switch rule {
    case .count(0...), .share(0...1): nil
    case .count(let count):
      FlowError(
        .invalidTolerance, "the group tolerates \(count) failures",
        remedy: "Give the group .failures(_:) with 0 or more, .none or .all.")
    case .share(let share):
      FlowError(
        .invalidTolerance, "the group's tolerance is a share of \(share)",
        remedy: "Give the group .share(_:) with a number from 0 to 1: .share(0.05) is one of 20.")
    }
  }

  /// Returns a copy in which a share of a known number of items is a number of failures.
  func among(_ count: Int?) -> FlowTolerance {
    if isShare, let count { .failures(failureCount(of: count)) } else { self }
  }

  /// Returns the number of items that may fail out of `count`; for a share, any number while `count` is `nil`.
  package func failureCount(of count: Int?) -> Int {
    switch rule {
    case .count(let tolerated): return tolerated
    case .share(let share):
      guard let count else { return .max }
      let exact = share * Double(count)
      // 0.29 of 100 is a little less than 29 in binary floating point, but is meant to be 29.
      let nearest = exact.rounded()
      let isWhole = abs(exact - nearest) <= 2 * nearest.ulp
      return Int(exactly: isWhole ? nearest : exact.rounded(.down)) ?? count
    }
  }

  /// The text of a group that stops; `nil` if it tolerates no failure, or any number.
  var stopText: String? {
    switch rule {
    // Without a tolerance, a group reports what Flow-iOS reported; a group that tolerates all failures never stops.
    case .count(0), .count(.max): nil
    case .count(let count): "\(count + 1) failed, \(count) tolerated: stopping"
    case .share(let share): "more than a share of \(share) failed: stopping"
    }
  }
}
