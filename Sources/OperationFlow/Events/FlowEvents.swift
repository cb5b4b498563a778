/// The events of a run as an asynchronous sequence, from the first on, whenever one subscribes.
///
/// It ends when the run has ended, or when the task that awaits it is cancelled. Each iterator has a place of its own.
public struct FlowEvents: AsyncSequence, Sendable {
  let recorder: Recorder

  /// A subscriber's place in the record.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let recorder: Recorder
    private var index = 0

    init(recorder: Recorder) { self.recorder = recorder }

    /// The next event, waited for where it has not happened yet; `nil` after the last.
    ///
    /// - Returns: The event.
    public mutating func next() async -> FlowEvent? {
      guard let event = await recorder.event(at: index) else { return nil }
      index += 1
      return event
    }
  }

  /// Makes a subscriber that begins with the first event.
  ///
  /// - Returns: The subscriber.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(recorder: recorder) }
}
