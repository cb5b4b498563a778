/// What a group runs: where its items come from, what is done with each, and what becomes of the results.
final class GroupStep: Sendable {
  /// Where the items come from.
  enum Source: Sendable {
    /// All at once, from the data bucket, when the group is reached.
    case items(@Sendable (DataBucket) throws -> FlowGroupItems)
    /// One after the other, so that they need not all be there at once.
    case stream(@Sendable () -> any ItemStream)
  }

  /// What is done with an item.
  enum Body: Sendable {
    /// An operation is made for it, and given it under its primary input key.
    case operation(@Sendable (_ item: any Sendable, _ index: Int) throws -> FlowOperation)
    case closure(@Sendable (_ item: any Sendable, FlowContext) throws -> (any Sendable)?)
    case asyncClosure(@Sendable (_ item: any Sendable, FlowContext) async throws -> (any Sendable)?)
  }

  /// A value that the group writes at its end.
  struct Collected: Sendable {
    let name: String
    let value: any Sendable
  }

  /// Who the group's own events are about.
  let name: String
  /// What an item's events are about, if it has no name of its own.
  let itemName: String
  let width: Int
  let tolerance: FlowTolerance
  /// Whether anybody wants the outputs: a million of them are not kept for nothing.
  let keepsOutputs: Bool
  /// Whether the outputs are shown as `<redacted>`.
  let hidesOutputs: Bool
  let source: Source
  let body: Body
  /// Whether an item needs no operation, so that it starts when it is claimed.
  let runsClosure: Bool
  /// The class of the operations, as far as it is known.
  let operationType: OperationType?
  /// Whether the items come one after the other.
  var isStream: Bool { if case .stream = source { true } else { false } }
  /// Whether an item's work may be done in a task, or the items come from one.
  var mayNeedTasks: Bool {
    if isStream { return true }
    if case .closure = body { return false }
    return true
  }
  /// Makes the values of the results; the flag says whether they are shown as `<redacted>`.
  let collect: @Sendable (FlowGroupResults, _ isSensitive: Bool) throws -> [Collected]
  let ports: GroupPorts

  init(
    name: String, itemName: String, width: Int, tolerance: FlowTolerance, keepsOutputs: Bool, hidesOutputs: Bool,
    source: Source, body: Body, collect: @escaping @Sendable (FlowGroupResults, Bool) throws -> [Collected],
    ports: GroupPorts
  ) {
    self.name = name
    self.itemName = itemName
    self.width = width
    self.tolerance = tolerance
    self.keepsOutputs = keepsOutputs
    self.hidesOutputs = hidesOutputs
    self.source = source
    self.body = body
    if case .operation = body { runsClosure = false } else { runsClosure = true }
    operationType = ports.creator.map(OperationType.of)
    self.collect = collect
    self.ports = ports
  }
}

/// What a group reads and writes, as far as that is known before the run.
struct GroupPorts: Sendable {
  /// The array that the items come from; `nil` if it is not known, or none is needed.
  var input: InputPort?
  var output: OutputPort?
  /// What makes the operations, if that is known.
  var creator: (any FlowOperationCreator.Type)?
  /// The types of the items and of their outputs, if they are known.
  var itemType: Any.Type?
  var outputElementType: Any.Type?
}

extension GroupStep {
  /// A group as the predecessor's users write it.
  convenience init(
    creator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher, named name: String? = nil
  ) {
    let arrays = dispatcher as? FlowArrayGroupDispatcher
    self.init(
      name: name ?? TypeName.of(type(of: dispatcher)), itemName: TypeName.of(creator),
      width: dispatcher.maxConcurrentOperationCount, tolerance: dispatcher.allowFailure ? .all : .none,
      keepsOutputs: true, hidesOutputs: arrays?.outputIsSensitive ?? false,
      source: .items { try dispatcher.items(in: $0) },
      body: .operation { try dispatcher.operation(for: $0, at: $1, creator: creator) },
      collect: { results, _ in
        try dispatcher.collect(results).sorted { $0.key < $1.key }.map { Collected(name: $0.key, value: $0.value) }
      },
      ports: GroupPorts(
        input: arrays.map { InputPort(arrayNamed: $0.inputKey, isSensitive: $0.inputIsSensitive) },
        output: arrays.map { OutputPort(name: $0.outputKey, type: nil, isSensitive: $0.outputIsSensitive) },
        creator: arrays == nil ? nil : creator))
  }
}
