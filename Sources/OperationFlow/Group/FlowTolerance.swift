/// How many items of a group may fail without failing the group.
public struct FlowTolerance: Sendable, Hashable {
  let failureCount: Int

  /// None: the first failure stops the group.
  public static let none = FlowTolerance(failureCount: 0)
  /// Any number: the group always continues to its last item, and succeeds.
  public static let all = FlowTolerance(failureCount: .max)

  /// At most this many failures; the next one stops the group.
  ///
  /// - Parameter count: How many items may fail; the flow is refused if this is below 0.
  /// - Returns: The tolerance.
  public static func failures(_ count: Int) -> FlowTolerance { FlowTolerance(failureCount: count) }

  var isValid: Bool { failureCount >= 0 }
}
