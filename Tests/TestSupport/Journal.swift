import OperationFlow

/// A list that any thread appends to.
package final class Journal<Entry: Sendable>: Sendable {
  private let state = Locked([Entry]())

  package init() {}

  package var entries: [Entry] { state.withLock { $0 } }
  package func append(_ entry: Entry) { state.withLock { $0.append(entry) } }
}
