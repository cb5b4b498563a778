import OperationFlow
import OperationFlowReports

// The properties of a step that another engine needs, in addition to the public ones.

extension FlowBlueprint.Step {
  /// The details of a group.
  struct Group: Sendable {
    /// The key of the array that the items are read from; `nil` if there is none, or if it isn't known.
    let input: String?
    /// The key of the array of outputs; `nil` if there is none.
    let output: String?
    /// True if each item is a closure, which always has an output.
    let runsClosure: Bool
    /// True if the outputs are needed.
    let keepsOutputs: Bool
  }

  /// The undo of a step.
  struct Undo: Sendable {
    let retry: FlowRetryPolicy?
    let timeout: Duration?
  }

  private var options: StepOptions? { step.options }
  private var ports: StepPorts { source.facts.ports[id] }

  /// The step's number, which is unique in the blueprint.
  var number: Int { id }

  var group: Group? {
    guard case .group(let group) = step.kind else { return nil }
    return Group(
      input: group.input?.name, output: group.output?.name, runsClosure: group.runsClosure,
      keepsOutputs: group.keepsOutputs)
  }

  /// The initial values of a nested flow; empty for other steps.
  var initialData: [String: any Sendable] { if case .flow(_, let data, _) = step.kind { data } else { [:] } }

  /// True if the caller made the step's operation, so that it exists in this process only.
  var isMadeByCaller: Bool { if case .operation(.instance) = step.kind { true } else { false } }

  // MARK: Reads and writes

  /// The values that a group's items write into the flow's bucket.
  var itemWrites: [FlowBlueprint.Port] { ports.itemWrites.map(FlowBlueprint.Port.init) }

  /// The class of operations whose inputs and outputs can't be found.
  var typeWithHiddenPorts: String? { ports.typeWithHiddenPorts }

  /// The values that the step always reads, if it requires all of them and reads no others; `nil` if that isn't known.
  var certainReads: [FlowBlueprint.Port]? {
    let declared = options?.declared
    let inputs: [StepPort]
    switch step.kind {
    case .operation:
      guard !ports.inputs.isEmpty else { return nil }
      inputs = ports.inputs
    case .group(let group) where !group.runsClosure:
      guard let others = Self.inputs(besideItemOf: group) else { return nil }
      inputs = others + (declared?.reads ?? [])
    case .closure, .group:
      guard let reads = declared?.reads else { return nil }
      inputs = reads
    case .cases, .flow, .parallel: return nil
    }
    return inputs.allSatisfy(\.isRequired) ? inputs.map(FlowBlueprint.Port.init) : nil
  }

  /// Returns the inputs of a group's operations besides their items; `nil` if the operations declare no ports.
  private static func inputs(besideItemOf group: GroupStep) -> [StepPort]? {
    guard let creator = group.creator, OperationType.of(creator).declaresPorts else { return nil }
    var operation: FlowOperation? = creator.create()
    defer { FlowOperation.release(&operation) }
    let item = operation?.primaryInputName()
    return operation?.inputPorts.filter { $0.name != item }
  }

  // MARK: Traits

  /// The conditions that may skip the step; `nil` stands for one that only code can evaluate.
  var conditions: [FlowCase?] { (options?.conditions ?? []).map(\.flowCase) }
  var retry: FlowRetryPolicy? { options?.retry }
  /// The time limit of an attempt.
  var timeout: Duration? { options?.attempts?.timeout }
  var undo: Undo? { options?.undo.map { Undo(retry: $0.retry, timeout: $0.timeout) } }
  /// The time to wait, if the step only waits.
  var pause: StepPause? { options?.features.lazy.compactMap(\.pause).first }
  /// The traits that no other engine supports.
  var traitObstacles: [FlowPlan.Obstacle] {
    guard let options else { return [] }
    var found: [FlowPlan.Obstacle] = []
    func add(_ problem: String, _ remedy: String) { found.append(FlowPlan.Obstacle(problem, remedy: remedy)) }
    if !options.limiters.isEmpty {
      add(
        "it needs permits of a limiter, which counts in one process.",
        "Limit a group by its width, or by the workers.")
    }
    if options.undo?.isForUncertain == true {
      add(
        "its undo also runs if its effect is uncertain.",
        "Leave out alsoIfUncertain, or undo such an effect in a recovery.")
    }
    if options.attempts?.totalTimeout != nil {
      add(
        "its attempts share a time limit.", "Give .timeout the scope .eachAttempt, or the flow a deadline(_:).")
    }
    if options.attempts?.recovers == true {
      add("it recovers from failures.", "Catch the error in the step's own work.")
    }
    if options.results?.kept != nil {
      add(
        "it keeps the result of each item.", "Leave out .results(in:): failures are in the execution's output.")
    }
    if options.results?.delivers == true {
      add("it hands on results to this process.", "Let a later step use the group's output.")
    }
    for case let obstacle? in options.features.map(\.obstacle) { add(obstacle.problem, obstacle.remedy) }
    return found
  }

  /// Returns true if the step's policy allows another attempt after an error.
  func isWorthRetrying(_ error: any Error) -> Bool { options?.isWorthRetrying?(error) ?? true }
}
