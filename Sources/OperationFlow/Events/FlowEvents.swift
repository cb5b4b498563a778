/// The events of a run as an asynchronous sequence: those the record has kept so far, and all that follow.
///
/// It ends when the run has ended, or when the task that awaits it is cancelled. Each iterator has its own position: a
/// slow one doesn't delay anything and loses nothing, because the events it hasn't taken yet wait in memory.
public struct FlowEvents: AsyncSequence, Sendable {
  let recorder: Recorder

  /// A subscriber and its position.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var kept: IndexingIterator<[FlowEvent]>
    fileprivate var live: AsyncStream<FlowEvent>.Iterator

    /// Returns the next event, waiting until it happens; `nil` after the last one.
    public mutating func next() async -> FlowEvent? {
      if let event = kept.next() { return event }
      return await live.next()
    }
  }

  /// Creates a subscriber.
  public func makeAsyncIterator() -> AsyncIterator {
    let (kept, live) = recorder.subscribe()
    return AsyncIterator(kept: kept.makeIterator(), live: live.makeAsyncIterator())
  }
}
