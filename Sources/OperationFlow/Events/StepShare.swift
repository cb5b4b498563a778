/// What a record keeps of one step's events: the first of them at once, the newest for as long as they are that.
struct StepShare: Sendable {
  /// The step, by its place in the blueprint; -1 stands for all events that no step has caused.
  let step: Int32
  /// How many events have come.
  private(set) var count = 0
  private var newest = Fifo<RecordedEvent>()
  private var leftOut = LeftOut()
  /// The items that have failed, and whose last event is still among the newest.
  private var failedItems: Set<Int> = []
  private var keptFailureCount = 0

  init(step: Int32) { self.step = step }

  /// Counts an event; true if it is one of the first, which are kept at once.
  @inline(__always)
  mutating func isAmongFirst(_ limit: Int) -> Bool {
    count += 1
    return count <= limit
  }

  /// Of how many failed items all that is known is kept, though it is neither among the first nor among the newest.
  private static let failureLimit = 1_000

  /// Takes an event, and hands out the one that is the newest no longer, if it is to be kept for its item's failure.
  mutating func take(_ event: consuming RecordedEvent, last: Int, keepsFailures: Bool) -> RecordedEvent? {
    if keepsFailures, event.isFailure, keptFailureCount < Self.failureLimit, let item = event.item {
      if failedItems.insert(item).inserted { keptFailureCount += 1 }
    }
    newest.append(event)
    guard newest.count > last, let old = newest.popFirst() else { return nil }
    guard !failedItems.isEmpty, let item = old.item, failedItems.contains(item) else {
      leftOut.add(old)
      return nil
    }
    if old.isFailure { failedItems.remove(item) }
    return old
  }

  /// What the record says of the events that were left out, once; `nil` if there are none.
  mutating func takeLeftOut() -> RecordedEvent? {
    guard leftOut.events > 0 else { return nil }
    defer { leftOut = LeftOut() }
    return leftOut.event(of: step)
  }

  /// Hands out the newest: nothing more comes of the step.
  mutating func takeNewest() -> [RecordedEvent] {
    defer { self = StepShare(step: step) }
    return newest.elements
  }
}
