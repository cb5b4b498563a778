/// Events in order, in chunks, so that a growing record is never copied.
struct EventLog: Sendable {
  private static let chunkSize = 512
  private var chunks: [[FlowEvent]] = []
  private(set) var count = 0

  subscript(index: Int) -> FlowEvent { chunks[index / Self.chunkSize][index % Self.chunkSize] }

  /// All events in one array.
  var events: [FlowEvent] { Array(chunks.joined()) }

  mutating func append(_ event: FlowEvent) {
    if count % Self.chunkSize == 0 {
      chunks.append([])
      // The first chunk grows, for most records are short; what comes after it is full-sized at once.
      if chunks.count > 1 { chunks[chunks.count - 1].reserveCapacity(Self.chunkSize) }
    }
    chunks[chunks.count - 1].append(event)
    count += 1
  }

  mutating func replaceAll(_ change: (FlowEvent) -> FlowEvent) {
    for chunk in chunks.indices {
      for index in chunks[chunk].indices { chunks[chunk][index] = change(chunks[chunk][index]) }
    }
  }
}
