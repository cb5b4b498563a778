import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

/// A whole flow as data.
struct RandomFlow: Sendable {
  struct Group: Sendable {
    var inputKey: String
    var outputKey: String
    var width: Int
    var toleratesFailure: Bool
    /// The indices of the items' limiters.
    var limits: [Int] = []
    /// The handling of each item's failures.
    var care = RandomCare()
  }

  struct Branch: Sendable {
    /// The key and its value that choose the branch; `nil` for the branch without a match.
    var condition: (key: String, value: String)?
    var steps: [Step]
  }

  /// The condition of a step.
  enum Condition: Sendable {
    case holds(String, RandomValue)
    case isNumber(String, above: Int)
    /// A closure that checks that there is a value.
    case contains(String)
    case fails(String)
  }

  indirect enum Step: Sendable {
    /// A step with a condition; the step isn't `cases`, which are built by `flowCase:`.
    case conditional(Condition, Step)
    /// Branches that numbers under a key choose, and the steps if no branch is chosen; `nil` for no such steps.
    case numberCases(String, [(numbers: [Int], steps: [Step])], otherwise: [Step]?)
    /// An operation, as one object or created when the step is reached.
    case operation(RandomOperation, isObject: Bool)
    case group(Group)
    case cases([Branch])
    /// Branches that run at once; each branch reads and writes names of its own.
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
  /// Flows that run at the end, with true for each step that fails.
  var always: [[Bool]] = []
  var dependencies: [Dependency] = []
  /// True if an attempt hangs until its time is over.
  var hasHangingAttempts = false
  /// True if `combine()` is called with nothing to combine.
  var hasIdleCombine = false

  /// Creates the limiters that all steps of a flow share.
  private static func makeLimiters() -> [FlowLimiter] {
    [
      FlowLimiter(atMost: 1), FlowLimiter(atMost: 2), FlowLimiter(atMost: 1),
      FlowLimiter(atMost: 3, starts: 4, per: .microseconds(100)),
    ]
  }

  static let limiterCount = makeLimiters().count

  /// The closures and objects that all steps of a flow share.
  private struct Shared: Sendable {
    let cancel: @Sendable () -> Void
    let ran: @Sendable (String) -> Void
    let limiters = makeLimiters()
    /// The clock advances only while an attempt hangs; flows without such attempts have the usual clock.
    let clock = StepClock()
  }

  /// Creates the flow that the engine runs.
  ///
  /// `ran` is called when an attempt, a recovery or an undo begins, with its idempotency key and its number: `key@1`.
  func build(_ ran: @escaping @Sendable (String) -> Void = { _ in }) -> Flow {
    let flow = Flow()
    let shared = Shared(cancel: { [weak flow] in flow?.cancel() ?? () }, ran: ran)
    if hasHangingAttempts { flow.clock(shared.clock) }
    var bucket: [String: any Sendable] = values.mapValues(\.stored)
    for (key, operations) in works {
      bucket[key] = operations.map { operation in
        let attempts = Locked(0)
        return Work(name: operation.name) { operation.run(in: $0, attempts, cancelFlow: shared.cancel, ran) }
      }
    }
    flow.setDataBucket(dataBucket: bucket)
    if hasIdleCombine { flow.combine() }
    // The place of the calls among the steps makes no difference.
    for index in orderOfAlways.dropLast() { addAlways(index, to: flow) }
    add(steps, to: flow, shared)
    if let last = orderOfAlways.last { addAlways(last, to: flow) }
    addDependencies(to: flow)
    return flow
  }

  /// The order in which the flows for the end are added, and run.
  var orderOfAlways: [Int] { Array(always.indices.reversed()) }

  private func addAlways(_ index: Int, to flow: Flow) {
    flow.always("always\(index)") { inner in
      inner.addNothing()
      for (step, fails) in always[index].enumerated() {
        inner.add("always\(index).\(step)") { _ in if fails { throw TestError(name: "always\(index)") } }
      }
    }
  }

  private func add(_ steps: [Step], to flow: Flow, _ shared: Shared, first: FlowCase? = nil) {
    func limited<Work>(_ limits: [Int]) -> StepTrait<Work> {
      StepTrait { $0.limit(by: limits.map { shared.limiters[$0] }) }
    }
    var condition = first
    for outer in steps {
      let (step, when) = outer.unwrapped
      switch step {
      case .operation(let script, let isObject):
        let attempts = Locked(0)
        let body = { @Sendable (operation: BlockOp) in
          // The interpreter has no such line.
          if operation.dependencies.contains(where: { !$0.isFinished }) { operation.log(message: "begins early") }
          script.run(in: operation, attempts, cancelFlow: shared.cancel, shared.ran) {
            shared.clock.advance(by: script.care.timeLimit ?? .zero)
          }
        }
        if isObject {
          flow.add(
            operation: BlockOp(script.name, body), Condition.trait(when), limited(script.limits),
            script.care.trait(shared.ran), flowCase: condition)
        } else {
          // No public call starts a branch with an operation that is created for each run.
          let traits: [StepTrait<FlowStep.Repeatable>] = [
            Condition.trait(when), limited(script.limits), script.care.trait(shared.ran), script.care.retry(),
          ]
          let made = OperationSource.factory(type: .of(BlockOp.self)) { BlockOp(script.name, body) }
          _ = flow.add("BlockOp", .operation(made), StepOptions(traits), condition)
        }
      case .group(let group):
        flow.addGrouped(
          operationCreator: WorkOp.self,
          dispatcher: FlowArrayGroupDispatcher(
            inputKey: group.inputKey, outputKey: group.outputKey, maxConcurrentOperationCount: group.width,
            allowFailure: group.toleratesFailure),
          Condition.trait(when), limited(group.limits), group.care.trait(shared.ran), group.care.retry(),
          flowCase: condition)
      case .cases(let branches):
        for branch in branches {
          let flowCase = branch.condition.map { FlowCase(key: $0.key, value: $0.value) }
          add(branch.steps, to: flow, shared, first: flowCase ?? .otherwise)
        }
        flow.combine()
      case .numberCases(let key, let branches, let otherwise):
        flow.cases(on: FlowKey<Int>(key), Condition.trait(when)) { cases in
          for (numbers, steps) in branches {
            if numbers.count == 2 {
              cases.when(numbers[0], numbers[1]) { add(steps, to: $0, shared) }
            } else {
              cases.when(numbers[0]) { add(steps, to: $0, shared) }
            }
          }
          if let otherwise { cases.otherwise { add(otherwise, to: $0, shared) } }
        }
      case .parallel(let name, let branches):
        flow.parallel(name, Condition.trait(when)) { step in
          for branch in branches {
            step.branch(branch.name) { add(branch.steps, to: $0.addNothing(), shared) }
          }
        }
      case .conditional: break
      }
      condition = nil
    }
  }
}
