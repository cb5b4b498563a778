/// Which changes to a flow a durable run accepts when it is resumed.
///
/// Closures, widths, delays and time limits may always change: they aren't part of a flow's shape.
public struct FlowChanges: Sendable, Hashable {
  private enum Kind: Sendable, Hashable { case refused, afterReachedPoint }

  private let kind: Kind

  /// Whether any are accepted.
  var areAllowed: Bool { kind != .refused }

  /// The flow must have the shape that it had when the run began; the default.
  public static let refused = FlowChanges(kind: .refused)

  /// Steps may be added, removed or changed if they come after everything that has begun.
  ///
  /// What may have begun without a trace counts as begun, too: the step after the last one that has settled. If all steps of
  /// a flow or a branch are over, none can be added to it.
  public static let afterReachedPoint = FlowChanges(kind: .afterReachedPoint)
}
