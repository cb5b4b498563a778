/// What a group runs: where its items come from, what is done with each, and what becomes of the results.
struct GroupStep: Sendable {
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
    var isSensitive = false
  }

  /// Who the group's own events are about.
  let name: String
  /// Who an item's events are about, where it has no name of its own.
  let itemName: String
  let width: Int
  let tolerance: FlowTolerance
  /// Whether anybody wants the outputs: a million of them are not kept for nothing.
  let keepsOutputs: Bool
  /// Whether the outputs are shown as `<redacted>`.
  let hidesOutputs: Bool
  let source: Source
  let body: Body
  let collect: @Sendable (FlowGroupResults) throws -> [Collected]
  let ports: GroupPorts
}

/// What a group reads and writes, as far as that is known before the run.
struct GroupPorts: Sendable {
  /// The array that the items come from; `nil` where it is not known, or none is needed.
  var input: InputPort?
  var output: OutputPort?
  /// What makes the operations, where the group runs operations.
  var creator: (any FlowOperationCreator.Type)?
}

extension GroupStep {
  /// A group as the predecessor's users write it.
  init(creator: any FlowOperationCreator.Type, dispatcher: any FlowGroupDispatcher) {
    name = TypeName.of(type(of: dispatcher))
    itemName = TypeName.of(creator)
    width = dispatcher.maxConcurrentOperationCount
    tolerance = dispatcher.allowFailure ? .all : .none
    keepsOutputs = true
    hidesOutputs = (dispatcher as? FlowArrayGroupDispatcher)?.outputIsSensitive ?? false
    source = .items { try dispatcher.items(in: $0) }
    body = .operation { try dispatcher.operation(for: $0, at: $1, creator: creator) }
    collect = { try dispatcher.collect($0).sorted { $0.key < $1.key }.map { Collected(name: $0.key, value: $0.value) } }
    ports = GroupPorts(
      input: (dispatcher as? FlowArrayGroupDispatcher).map {
        InputPort(arrayNamed: $0.inputKey, isSensitive: $0.inputIsSensitive)
      },
      output: (dispatcher as? FlowArrayGroupDispatcher).map {
        OutputPort(name: $0.outputKey, type: nil, isSensitive: $0.outputIsSensitive)
      },
      creator: creator)
  }
}
