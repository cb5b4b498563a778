/// The events of a run as an asynchronous sequence: those the record has kept so far, and all that follow.
///
/// It ends when the run has ended, or when the task that awaits it is cancelled. Each iterator has its own position: a
/// slow one doesn't delay anything and loses nothing, because the events it hasn't taken yet wait in memory.
public struct FlowEvents: AsyncSequence, Sendable {
  let recorder: Recorder

  /// A subscriber and its position.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var kept: IndexingIterator<[FlowEvent]>
    private var live: AsyncStream<FlowEvent>.Iterator

    init(recorder: Recorder) {
      let (kept, live) = recorder.subscribe()
      self.kept = kept.makeIterator()
      self.live = live.makeAsyncIterator()
    }

    /// Returns the next event, waiting until it happens; `nil` after the last one.
    public mutating func next() async -> FlowEvent? {
      if let event = kept.next() { return event }
      return await live.next()
    }
  }

  /// Creates a subscriber.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(recorder: recorder) }
}
