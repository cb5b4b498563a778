/// The work of a group: the source of its items, the work for each, and the way to collect the results.
package final class GroupStep: Sendable {
  package enum Source: Sendable {
    /// All items together, from the data bucket, when the group starts.
    case items(@Sendable (DataBucket) throws -> FlowGroupItems)
    /// One item at a time, so that not all need to be in memory at once; asking for the next one may block its thread.
    case stream(mayBlock: Bool, @Sendable () -> any ItemStream)
  }

  /// The asynchronous work for one item, which runs where its caller does until it calls the user's closure.
  package typealias AsyncItem =
    nonisolated(nonsending) @Sendable (_ item: any Sendable, FlowContext) async throws -> (any Sendable)?

  package enum Body: Sendable {
    /// Creates an operation for the item, which is stored under the operation's primary input key.
    case operation(@Sendable (_ item: any Sendable, _ index: Int) throws -> FlowOperation)
    case closure(@Sendable (_ item: any Sendable, FlowContext) throws -> (any Sendable)?)
    case asyncClosure(AsyncItem)
  }

  typealias Collected = (name: String, value: any Sendable)

  /// Makes the values to write from the outputs and the failures of the items.
  typealias Collect =
    @Sendable (_ outputs: any ItemOutputs, _ failures: [FlowItemFailure], _ isSensitive: Bool) throws -> [Collected]

  /// The name in the group's own events.
  let name: String
  /// The name in the events of an item without a name of its own.
  package let itemName: String
  let width: Int
  package let tolerance: FlowTolerance
  let source: Source
  package let body: Body
  /// The array of the items; `nil` if it isn't known, or if the items are a sequence.
  package let input: StepPort?
  package let output: StepPort?
  /// The type that creates the operations; `nil` if it isn't known.
  package let creator: (any FlowOperationCreator.Type)?
  let itemType: Any.Type?
  package let outputType: Any.Type?
  /// True if the outputs are needed; otherwise, they are dropped to save memory.
  package let keepsOutputs: Bool
  let makeOutputs: @Sendable (_ count: Int) -> any ItemOutputs
  let collect: Collect

  init(
    name: String, itemName: String, width: Int, tolerance: FlowTolerance, source: Source, body: Body,
    input: StepPort?, output: StepPort?, creator: (any FlowOperationCreator.Type)?,
    types: (item: Any.Type?, output: Any.Type?) = (nil, nil), keepsOutputs: Bool,
    makeOutputs: @escaping @Sendable (Int) -> any ItemOutputs, collect: @escaping Collect
  ) {
    self.name = name
    self.itemName = itemName
    self.width = width
    self.tolerance = tolerance
    self.source = source
    self.body = body
    self.input = input
    self.output = output
    self.creator = creator
    itemType = types.item
    outputType = types.output
    self.keepsOutputs = keepsOutputs
    self.makeOutputs = makeOutputs
    self.collect = collect
  }

  /// False if the items are pulled from a stream that doesn't block its thread.
  var pullsMayBlock: Bool { if case .stream(mayBlock: false, _) = source { false } else { true } }

  /// True if finding the items may block the thread: they are found by a user's dispatcher, or are a user's sequence.
  var planMayBlock: Bool {
    switch source {
    case .stream(let mayBlock, _): mayBlock
    case .items: isDispatched
    }
  }

  /// True if a user's dispatcher finds the items and collects their outputs.
  var isDispatched: Bool { if case .operation = body { creator == nil } else { false } }

  package var isStream: Bool { if case .stream = source { true } else { false } }
  package var hidesOutputs: Bool { output?.isSensitive ?? false }
  /// True if an item needs no operation.
  package var runsClosure: Bool { if case .operation = body { false } else { true } }
  /// True if an item's work may run in a task, or the items are provided by one.
  var mayNeedTasks: Bool { if case .closure = body { isStream } else { true } }

  /// Returns a copy with other items, or with other work for each of them.
  package func with(source: Source? = nil, body: Body? = nil) -> GroupStep {
    GroupStep(
      name: name, itemName: itemName, width: width, tolerance: tolerance, source: source ?? self.source,
      body: body ?? self.body, input: source == nil ? input : nil, output: output, creator: body == nil ? creator : nil,
      types: (itemType, outputType), keepsOutputs: keepsOutputs, makeOutputs: makeOutputs, collect: collect)
  }

  /// Creates a group in the form of Flow-iOS, from a creator and a dispatcher.
  convenience init(
    creator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher, named name: String? = nil
  ) {
    let arrays = dispatcher as? FlowArrayGroupDispatcher
    self.init(
      name: name ?? TypeName.of(type(of: dispatcher)), itemName: TypeName.of(creator),
      width: dispatcher.maxConcurrentOperationCount, tolerance: dispatcher.tolerance,
      source: .items { try dispatcher.items(in: $0) },
      body: .operation { try dispatcher.operation(for: $0, at: $1, creator: creator) },
      input: arrays.map { StepPort(readingArray: $0.inputKey, isSensitive: $0.inputIsSensitive) },
      output: arrays.map { StepPort(writing: $0.outputKey, type: nil, isSensitive: $0.outputIsSensitive) },
      creator: arrays == nil ? nil : creator, keepsOutputs: true, makeOutputs: { TypedOutputs<any Sendable>(count: $0) }
    ) { outputs, failures, _ in
      let results = FlowGroupResults(outputs: (0..<outputs.count).map { outputs[$0] }, failures: failures)
      let collected = try dispatcher.collect(results)
      return collected.map { (name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
    }
  }
}

/// The outputs of a group's items by their indices; `nil` for an item without an output.
protocol ItemOutputs: Sendable {
  var count: Int { get }
  subscript(index: Int) -> (any Sendable)? { get }

  mutating func store(_ output: any Sendable, at index: Int)
  mutating func addPlace()
  /// Returns an array of the existing outputs, in order; throws a ``FlowError`` if one has another type.
  func collected(_ name: String, isSensitive: Bool) throws -> any Sendable
}

extension ItemOutputs {
  var byIndex: [Int: any Sendable] { (0..<count).reduce(into: [:]) { found, index in found[index] = self[index] } }
}

/// Outputs that are stored with their type: a number needs 16 bytes, instead of 32 as `any Sendable`.
struct TypedOutputs<Output: Sendable>: ItemOutputs {
  private var values: [Output?]
  /// Outputs of other types, by index: an operation can assign one, and an output from a journal isn't decoded yet.
  private var others = [Int: any Sendable]()

  init(count: Int) { values = Array(repeating: nil, count: count) }

  var count: Int { values.count }

  subscript(index: Int) -> (any Sendable)? {
    if let value = values[index] { return value }
    return others.isEmpty ? nil : others[index]
  }

  mutating func store(_ output: any Sendable, at index: Int) {
    // A conditional cast to a generic type costs less in a `switch` than with `as?`, which makes an optional.
    switch output {
    case let value as Output: values[index] = value
    default: others[index] = output
    }
  }

  mutating func addPlace() { values.append(nil) }

  func collected(_ name: String, isSensitive: Bool) throws -> any Sendable {
    var collected: [Output] = []
    collected.reserveCapacity(values.count)
    for index in values.indices {
      if let value = values[index] {
        collected.append(value)
      } else if let other = others.isEmpty ? nil : others[index] {
        collected.append(try checked(other, name: name, isSensitive: isSensitive))
      }
    }
    return collected
  }
}
