/// Provides a group's items one at a time, for which it is asked by one thread at a time.
package protocol ItemStream: Sendable {
  /// The next item if it is available immediately, otherwise a way to wait for it.
  func next() -> ItemStreamStep
  /// The number of items, if that can be found without going through them.
  var knownCount: Int? { get }
}

extension ItemStream {
  package var knownCount: Int? { nil }
}

package enum ItemStreamStep: Sendable {
  case item(any Sendable)
  case end
  case later(@Sendable () async throws -> (any Sendable)?)
}

final class SequenceItems<Items: Sequence & SendableMetatype>: ItemStream, @unchecked Sendable
where Items.Element: Sendable {
  // Invariant: a group asks for one item at a time, and passes on the right to ask under its run's lock.
  private var iterator: Items.Iterator
  let knownCount: Int?

  init(_ items: Items) {
    // That of other collections may be counted one by one.
    knownCount = (items as? any RandomAccessCollection)?.count
    iterator = items.makeIterator()
  }

  func next() -> ItemStreamStep { iterator.next().map(ItemStreamStep.item) ?? .end }
}

final class AsyncSequenceItems<Items: AsyncSequence & SendableMetatype>: ItemStream, @unchecked Sendable
where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
  // Invariant: as for `SequenceItems`; it is there unless the next item is being waited for.
  private var iterator: Items.AsyncIterator?

  init(_ items: Items) { iterator = items.makeAsyncIterator() }

  func next() -> ItemStreamStep {
    .later {
      // Taken out: an array of an iterator that is in two places would be copied for each item.
      guard var iterator = self.iterator.take() else { return nil }
      defer { self.iterator = iterator }
      return try await iterator.next()
    }
  }
}
