/// How many items of a group may fail before the group does.
public struct FlowTolerance: Sendable, Hashable {
  let failureCount: Int

  /// None: the first failure stops the group.
  public static let none = FlowTolerance(failureCount: 0)
  /// Any number: the group always goes on to its last item, and succeeds.
  public static let all = FlowTolerance(failureCount: .max)

  /// Up to a number of failures; the next one stops the group.
  ///
  /// - Parameter count: How many items may fail; below 0 the flow is refused.
  /// - Returns: The tolerance.
  public static func failures(_ count: Int) -> FlowTolerance { FlowTolerance(failureCount: count) }

  var isValid: Bool { failureCount >= 0 }
}
