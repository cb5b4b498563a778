// The group that `forEach` creates, with the types of its items and outputs.

/// The source of a group's items, with their type.
struct GroupItems<Item: Sendable> {
  let source: GroupStep.Source
  /// The array in the data bucket; `nil` for a sequence.
  private(set) var input: StepPort?

  init(_ key: FlowKey<[Item]>) {
    input = StepPort(reading: key)
    source = .items { bucket in
      // Reads the value first: a value that is written with a sensitive key marks the name in the same write.
      let items = try bucket.require(key)
      return FlowGroupItems(items, name: key.name, sensitive: key.isSensitive || bucket.isSensitive(key.name))
    }
  }

  init<Items: Sequence & SendableMetatype>(in items: @escaping @Sendable () -> Items) where Items.Element == Item {
    // The elements of a random-access collection are in memory; a sequence may compute each, or read it from a file.
    let mayBlock = !(Items.self is any RandomAccessCollection.Type)
    source = .stream(mayBlock: mayBlock) { SequenceItems(items()) }
  }

  init<Items: AsyncSequence & SendableMetatype>(in items: @escaping @Sendable () -> Items)
  where Items.Element == Item, Items.AsyncIterator: SendableMetatype {
    source = .stream(mayBlock: false) { AsyncSequenceItems(items()) }
  }
}

extension GroupStep {
  convenience init<Item, Output>(
    _ items: GroupItems<Item>, into output: FlowKey<[Output]>?, _ width: Int, _ tolerance: FlowTolerance,
    named name: String, creator: (any FlowOperationCreator.Type)? = nil, _ body: Body
  ) {
    self.init(
      name: name, itemName: creator.map { TypeName.of($0) } ?? name, width: width, tolerance: tolerance,
      source: items.source, body: body, input: items.input, output: output.map(StepPort.init(writing:)),
      creator: creator, types: (Item.self, Output.self), keepsOutputs: output != nil,
      makeOutputs: { TypedOutputs<Output>(count: $0) }
    ) { outputs, _, isSensitive in
      guard let name = output?.name else { return [] }
      return [(name: name, value: try outputs.collected(name, isSensitive: isSensitive))]
    }
  }
}

extension GroupStep.Body {
  static func making(_ creator: any FlowOperationCreator.Type) -> GroupStep.Body {
    .operation { _, _ in creator.create() }
  }

  static func running<Item, Output: Sendable>(
    _ body: @escaping @Sendable (Item, FlowContext) throws -> Output
  ) -> GroupStep.Body { .closure { try body(checked($0, name: "item", isSensitive: true), $1) } }

  static func running<Item, Output: Sendable>(
    _ body: @escaping @Sendable (Item, FlowContext) async throws -> Output
  ) -> GroupStep.Body { .asyncClosure { try await body(checked($0, name: "item", isSensitive: true), $1) } }
}

/// A source that provides a group's items one at a time, and is asked by one thread at a time.
package protocol ItemStream: Sendable {
  /// Returns the next item if it is available immediately, otherwise a way to wait for it.
  func next() -> ItemStreamStep
  /// The number of items; `nil` if it can't be found without iterating over them.
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
  // Invariant: a group asks for one item at a time, and the right to ask passes between threads under its run's lock.
  private var iterator: Items.Iterator
  let knownCount: Int?

  init(_ items: Items) {
    // Another collection may count its elements one by one.
    // A collection of the user's own may return a wrong count.
    knownCount = (items as? any RandomAccessCollection).map(\.count).flatMap { $0 >= 0 ? $0 : nil }
    iterator = items.makeIterator()
  }

  func next() -> ItemStreamStep { iterator.next().map(ItemStreamStep.item) ?? .end }
}

final class AsyncSequenceItems<Items: AsyncSequence & SendableMetatype>: ItemStream, @unchecked Sendable
where Items.Element: Sendable, Items.AsyncIterator: SendableMetatype {
  // Invariant: as for `SequenceItems`; the iterator is `nil` only while the next item is awaited.
  private var iterator: Items.AsyncIterator?

  init(_ items: Items) { iterator = items.makeAsyncIterator() }

  func next() -> ItemStreamStep {
    .later {
      // Moves the iterator out, because a second reference to its storage would cause a copy for each item.
      guard var iterator = self.iterator.take() else { return nil }
      defer { self.iterator = iterator }
      return try await iterator.next()
    }
  }
}
