/// The work of a group: where its items come from, what is done with each, and how the results are collected.
package final class GroupStep: Sendable {
  /// Where the items come from.
  package enum Source: Sendable {
    /// All together from the data bucket, when the group is reached.
    case items(@Sendable (DataBucket) throws -> FlowGroupItems)
    /// One at a time, so that they need not all be in memory at the same time.
    case stream(@Sendable () -> any ItemStream)
  }

  /// What is done with one item and awaited; it runs where its caller does, until it calls the user's closure.
  package typealias AsyncItem =
    nonisolated(nonsending) @Sendable (_ item: any Sendable, FlowContext) async throws -> (any Sendable)?

  /// The work for each item.
  package enum Body: Sendable {
    /// Creates an operation for the item, which is stored under the operation's primary input key.
    case operation(@Sendable (_ item: any Sendable, _ index: Int) throws -> FlowOperation)
    case closure(@Sendable (_ item: any Sendable, FlowContext) throws -> (any Sendable)?)
    case asyncClosure(AsyncItem)
  }

  typealias Collected = (name: String, value: any Sendable)

  /// The name that the group's own events are about.
  let name: String
  /// The name that an item's events are about, if it has no name of its own.
  package let itemName: String
  let width: Int
  package let tolerance: FlowTolerance
  /// Whether the outputs are needed: a million of them aren't kept for nothing.
  package let keepsOutputs: Bool
  package let hidesOutputs: Bool
  let source: Source
  package let body: Body
  /// Whether an item needs no operation, so that it starts when it is claimed.
  package let runsClosure: Bool
  /// The class of the operations, if it is known.
  let operationType: OperationType?
  package var isStream: Bool { if case .stream = source { true } else { false } }
  /// Whether an item's work may run in a task, or the items come from one.
  var mayNeedTasks: Bool {
    if isStream { return true }
    if case .closure = body { return false }
    return true
  }
  /// Makes places for the outputs of that many items.
  let makeOutputs: @Sendable (_ count: Int) -> any ItemOutputs
  /// What collects the results; `nil` if they are an array of their type.
  private let dispatcher: (any FlowGroupDispatcher)?
  package let ports: GroupPorts

  @inline(never)
  init(
    name: String, itemName: String, width: Int, tolerance: FlowTolerance, source: Source, body: Body,
    makeOutputs: @escaping @Sendable (Int) -> any ItemOutputs, dispatcher: (any FlowGroupDispatcher)? = nil,
    ports: GroupPorts
  ) {
    (self.name, self.itemName) = (name, itemName)
    (self.width, self.tolerance) = (width, tolerance)
    (self.source, self.body) = (source, body)
    keepsOutputs = dispatcher != nil || ports.output != nil
    hidesOutputs = ports.output?.isSensitive ?? false
    if case .operation = body { runsClosure = false } else { runsClosure = true }
    operationType = ports.creator.map(OperationType.of)
    (self.makeOutputs, self.dispatcher, self.ports) = (makeOutputs, dispatcher, ports)
  }

  /// Creates the values to write from the results; the flag tells whether they are shown as `<redacted>`.
  func collect(
    _ outputs: any ItemOutputs, _ failures: [FlowItemFailure], isSensitive: Bool
  ) throws -> [Collected] {
    if let dispatcher {
      let results = FlowGroupResults(outputs: (0..<outputs.count).map { outputs[$0] }, failures: failures)
      return try dispatcher.collect(results).map { (name: $0.key, value: $0.value) }.ordered { $0.name < $1.name }
    }
    guard let name = ports.output?.name else { return [] }
    return [(name: name, value: try outputs.collected(name, isSensitive: isSensitive))]
  }
}

extension GroupStep {
  /// The same group with other items, or with other work for each of them.
  package func with(source: Source? = nil, body: Body? = nil) -> GroupStep {
    GroupStep(
      name: name, itemName: itemName, width: width, tolerance: tolerance, source: source ?? self.source,
      body: body ?? self.body, makeOutputs: makeOutputs, dispatcher: dispatcher,
      ports: GroupPorts(
        input: source == nil ? ports.input : nil, output: ports.output, creator: body == nil ? ports.creator : nil,
        itemType: ports.itemType, outputElementType: ports.outputElementType))
  }
}

/// The values that a group reads and writes, if they are known before the run.
package final class GroupPorts: Sendable {
  /// The array that the items come from; `nil` if it isn't known, or if there is none.
  package let input: InputPort?
  package let output: OutputPort?
  /// The type that creates the operations, if it is known.
  package let creator: (any FlowOperationCreator.Type)?
  /// The types of the items and of their outputs, if they are known.
  let (itemType, outputElementType): (Any.Type?, Any.Type?)

  init(
    input: InputPort?, output: OutputPort?, creator: (any FlowOperationCreator.Type)?, itemType: Any.Type? = nil,
    outputElementType: Any.Type? = nil
  ) {
    (self.input, self.output, self.creator) = (input, output, creator)
    (self.itemType, self.outputElementType) = (itemType, outputElementType)
  }
}

extension GroupStep {
  /// A group in the form that the predecessor's users write.
  convenience init(
    creator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher, named name: String? = nil
  ) {
    let arrays = dispatcher as? FlowArrayGroupDispatcher
    self.init(
      name: name ?? TypeName.of(type(of: dispatcher)), itemName: TypeName.of(creator),
      width: dispatcher.maxConcurrentOperationCount, tolerance: dispatcher.tolerance,
      source: .items { try dispatcher.items(in: $0) },
      body: .operation { try dispatcher.operation(for: $0, at: $1, creator: creator) },
      makeOutputs: { TypedOutputs<any Sendable>(count: $0) }, dispatcher: dispatcher,
      ports: GroupPorts(
        input: arrays.map { InputPort(arrayNamed: $0.inputKey, isSensitive: $0.inputIsSensitive) },
        output: arrays.map { OutputPort(name: $0.outputKey, type: nil, isSensitive: $0.outputIsSensitive) },
        creator: arrays == nil ? nil : creator))
  }
}
