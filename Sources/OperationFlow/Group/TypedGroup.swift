/// A group in the form that `forEach` takes, with the types of its items and outputs.
final class TypedGroup<Item: Sendable, Output: Sendable> {
  private let name: String
  private let width: Int
  private let tolerance: FlowTolerance
  private let output: FlowKey<[Output]>?
  private let source: GroupStep.Source
  private let input: InputPort?

  /// The items are the elements of an array in the data bucket.
  convenience init(
    _ input: FlowKey<[Item]>, _ output: FlowKey<[Output]>?, _ width: Int, _ tolerance: FlowTolerance,
    named name: String? = nil
  ) {
    self.init(
      name: name ?? input.name, output, width, tolerance, input: InputPort(input),
      .items { bucket in
        let items = try bucket.require(input)
        return FlowGroupItems(items, name: input.name, sensitive: input.isSensitive || bucket.isSensitive(input.name))
      })
  }

  /// The items come one at a time.
  convenience init(
    _ output: FlowKey<[Output]>?, _ width: Int, _ tolerance: FlowTolerance, named name: String? = nil,
    stream: @escaping @Sendable () -> any ItemStream
  ) {
    self.init(name: name ?? "forEach", output, width, tolerance, .stream(stream))
  }

  private init(
    name: String, _ output: FlowKey<[Output]>?, _ width: Int, _ tolerance: FlowTolerance, input: InputPort? = nil,
    _ source: GroupStep.Source
  ) {
    (self.name, self.output, self.width) = (name, output, width)
    (self.tolerance, self.input, self.source) = (tolerance, input, source)
  }

  func running(_ body: @escaping @Sendable (Item, FlowContext) throws -> Output) -> GroupStep {
    step(.closure { try body(typed($0), $1) }, itemName: name)
  }

  func running(_ body: @escaping @Sendable (Item, FlowContext) async throws -> Output) -> GroupStep {
    step(.asyncClosure { try await body(typed($0), $1) }, itemName: name)
  }

  func running(_ creator: any FlowOperationCreator.Type) -> GroupStep {
    step(.operation { _, _ in creator.create() }, itemName: TypeName.of(creator), creator: creator)
  }

  private func step(
    _ body: GroupStep.Body, itemName: String, creator: (any FlowOperationCreator.Type)? = nil
  ) -> GroupStep {
    GroupStep(
      name: name, itemName: itemName, width: width, tolerance: tolerance, source: source, body: body,
      makeOutputs: { TypedOutputs<Output>(count: $0) },
      ports: GroupPorts(
        input: input, output: output.map { OutputPort($0) }, creator: creator, itemType: Item.self,
        outputElementType: output == nil ? nil : Output.self))
  }
}

/// The item as its closure takes it; the group's source created it with that type.
@inline(__always)
private func typed<Item>(_ item: any Sendable) throws(FlowError) -> Item {
  // Comparing types costs less than a cast, which finds what is an item of another type, such as a protocol's.
  if type(of: item) == Item.self { return same(item) }
  // An optional of a type that is known only at run time costs more than the cast.
  switch item {
  case let item as Item: return item
  default: return try checked(item, name: "item", isSensitive: true)
  }
}

/// The same value, whose type is already known to be the same.
@inline(__always)
private func same<Found: Sendable, Item>(_ item: Found) -> Item {
  withUnsafePointer(to: item) { UnsafeRawPointer($0).assumingMemoryBound(to: Item.self).pointee }
}
