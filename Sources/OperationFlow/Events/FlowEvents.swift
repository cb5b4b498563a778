/// The events of a run as an asynchronous sequence: what the record has kept so far, and everything from then on.
///
/// It ends when the run has ended, or when the task that awaits it is cancelled. Each iterator has a place of its own: a
/// slow one holds nothing up and loses nothing, for what it has not taken waits for it in memory.
public struct FlowEvents: AsyncSequence, Sendable {
  let recorder: Recorder

  /// A subscriber's place.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private var kept: IndexingIterator<[FlowEvent]>
    private var live: AsyncStream<FlowEvent>.Iterator

    init(recorder: Recorder) {
      let (kept, live) = recorder.subscribe()
      self.kept = kept.makeIterator()
      self.live = live.makeAsyncIterator()
    }

    /// The next event, waited for if it has not happened yet; `nil` after the last.
    ///
    /// - Returns: The event.
    public mutating func next() async -> FlowEvent? {
      if let event = kept.next() { return event }
      return await live.next()
    }
  }

  /// Makes a subscriber.
  ///
  /// - Returns: The subscriber.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(recorder: recorder) }
}
