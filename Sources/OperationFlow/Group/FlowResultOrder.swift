/// The order in which a group hands on the results of its items.
public enum FlowResultOrder: Sendable, Hashable {
  /// Each result as soon as its item has ended.
  case completion
  /// The results in the order of the items: one that comes early waits for those before it.
  case input
}
