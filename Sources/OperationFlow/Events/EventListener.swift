/// An observer or subscriber, which receives the events from a certain number on.
final class EventListener: Sendable {
  let from: Int
  let tell: @Sendable (FlowEvent) -> Void
  /// Called after the last event.
  let end: @Sendable () -> Void

  init(
    from: Int = 0, _ tell: @escaping @Sendable (FlowEvent) -> Void, end: @escaping @Sendable () -> Void = {}
  ) {
    (self.from, self.tell, self.end) = (from, tell, end)
  }
}
