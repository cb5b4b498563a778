@testable import OperationFlow

/// A whole flow as data.
struct RandomFlow: Sendable {
  struct Group: Sendable {
    var inputKey: String
    var outputKey: String
    var width: Int
    var toleratesFailure: Bool
  }

  struct Branch: Sendable {
    /// What the key has to hold; `nil` for the branch for no match.
    var condition: (key: String, value: String)?
    var steps: [Step]
  }

  indirect enum Step: Sendable {
    /// An operation, as one object or made when it is reached.
    case operation(RandomOperation, isObject: Bool)
    case group(Group)
    case cases([Branch])
    /// Branches that run at once; each reads and writes names of its own.
    case parallel(String, [ParallelBranch])
  }

  struct ParallelBranch: Sendable {
    var name: String
    var steps: [Step]
  }

  var values: [String: RandomValue] = [:]
  /// The arrays that groups run over.
  var works: [String: [RandomOperation]] = [:]
  var steps: [Step] = []
  /// Whether `combine()` is called with nothing to combine.
  var hasIdleCombine = false

  /// The flow that the engine runs.
  func build() -> Flow {
    let flow = Flow()
    let cancel = { @Sendable [weak flow] in flow?.cancel() ?? () }
    var bucket: [String: any Sendable] = values.mapValues(\.stored)
    for (key, operations) in works {
      bucket[key] = operations.map { operation in
        Work(name: operation.name) { operation.run(in: $0, cancelFlow: cancel) }
      }
    }
    flow.setDataBucket(dataBucket: bucket)
    if hasIdleCombine { flow.combine() }
    add(steps, to: flow, cancel)
    return flow
  }

  private func add(_ steps: [Step], to flow: Flow, _ cancel: @escaping @Sendable () -> Void, first: FlowCase? = nil) {
    var condition = first
    for step in steps {
      switch step {
      case .operation(let script, let isObject):
        let body = { @Sendable (operation: BlockOp) in script.run(in: operation, cancelFlow: cancel) }
        if isObject {
          flow.add(operation: BlockOp(script.name, body), flowCase: condition)
        } else {
          flow.add(BlockOp(script.name, body), flowCase: condition)
        }
      case .group(let group):
        flow.addGrouped(
          operationCreator: WorkOp.self,
          dispatcher: FlowArrayGroupDispatcher(
            inputKey: group.inputKey, outputKey: group.outputKey, maxConcurrentOperationCount: group.width,
            allowFailure: group.toleratesFailure),
          flowCase: condition)
      case .cases(let branches):
        for branch in branches {
          let flowCase = branch.condition.map { FlowCase(key: $0.key, value: $0.value) }
          add(branch.steps, to: flow, cancel, first: flowCase ?? .otherwise)
        }
        flow.combine()
      case .parallel(let name, let branches):
        let flows = branches.map { branch in
          let inner = Flow()
          add(branch.steps, to: inner, cancel)
          return (branch.name, inner)
        }
        flow.addParallel(name, Dictionary(uniqueKeysWithValues: flows))
      }
      condition = nil
    }
  }
}
