/// An observer or subscriber, which receives the events from a certain number on.
final class EventListener: Sendable {
  let from: Int
  /// Called with each event, and with `nil` after the last one.
  let tell: @Sendable (FlowEvent?) -> Void

  init(from: Int = 0, _ tell: @escaping @Sendable (FlowEvent?) -> Void) { (self.from, self.tell) = (from, tell) }
}
