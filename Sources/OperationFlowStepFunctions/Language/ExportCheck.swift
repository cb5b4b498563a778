import OperationFlow

/// Finds the parts of a flow that can't be exported.
struct ExportCheck {
  /// The maximum size of a definition: 1 MB, one of the service's quotas.
  static let largestDefinition = 1_048_576

  let plan: FlowPlan
  let activity: String
  let options: StateMachineOptions

  /// The reasons, in the order of the steps.
  var reasons: [StateMachineExportError.Reason] {
    var reasons = wholeReasons
    var mentioned: Set<String> = []
    for block in [plan.steps, plan.always] { check(block, &reasons, &mentioned) }
    // A name that no step declares was marked on the flow itself, or is one of its data.
    let sensitive = plan.sensitiveNames.union(plan.initialNames.filter(plan.hides)).subtracting(mentioned)
    if options.sensitiveValues == .refused {
      for name in sensitive.sorted().reversed() { reasons.insert(.sensitive(name, at: FlowPath(plan.name)), at: 0) }
    }
    return reasons
  }

  private var wholeReasons: [StateMachineExportError.Reason] {
    let path = FlowPath(plan.name)
    var reasons = plan.obstacles.map { Self.reason($0, path) }
    func add(_ problem: String, _ remedy: String) {
      reasons.append(StateMachineExportError.Reason(path: path, problem: problem, remedy: remedy))
    }
    if !activity.hasPrefix("arn:") {
      add("the activity \"\(activity)\" is no ARN.", "Give the ARN that CreateActivity returns.")
    }
    if plan.steps.isEmpty { add("it has no steps.", "Add a step.") }
    if !(Duration.seconds(1)...Duration.seconds(99_999_999)).contains(options.taskTimeout) {
      add(
        "the time limit of tasks is \(DurationText.exact(options.taskTimeout)).",
        "Give taskTimeout 1 to 99,999,999 seconds.")
    }
    if let heartbeat = options.heartbeat, !(Duration.seconds(1)...Duration.seconds(99_999_999)).contains(heartbeat) {
      add(
        "the time between heartbeats is \(DurationText.exact(heartbeat)).",
        "Give heartbeat 1 to 99,999,999 seconds, or nil.")
    }
    if !(0...99_999_999).contains(options.redeliveries) {
      add("the number of redeliveries is \(options.redeliveries).", "Give redeliveries a number from 0 to 99,999,999.")
    }
    return reasons
  }

  private func check(
    _ steps: [FlowPlan.Step], _ reasons: inout [StateMachineExportError.Reason], _ mentioned: inout Set<String>
  ) {
    var names: Set<String> = []
    for step in steps {
      check(step, &names, &reasons, &mentioned)
      for block in step.blocks { check(block, &reasons, &mentioned) }
    }
  }

  private func check(
    _ step: FlowPlan.Step, _ names: inout Set<String>, _ reasons: inout [StateMachineExportError.Reason],
    _ mentioned: inout Set<String>
  ) {
    func add(_ problem: String, _ remedy: String) {
      reasons.append(StateMachineExportError.Reason(path: step.path, problem: problem, remedy: remedy))
    }
    reasons += step.obstacles.map { Self.reason($0, step.path) }
    if step.blocks.isEmpty {
      if step.name.allSatisfy(\.isWhitespace) {
        add("it has no name by which a worker could find it.", "Give it a name, with .named(_:) or where it is added.")
      } else if !names.insert(step.name).inserted {
        add("another step beside it is named \"\(step.name)\" too.", "Give one of them another name with .named(_:).")
      }
    }
    var seen: Set<String> = []
    for key in step.keys where seen.insert(key.name).inserted { check(key, step, &reasons, &mentioned) }
    for comparison in step.comparisons where seen.insert(comparison.key).inserted {
      check(FlowPlan.Key(name: comparison.key), step, &reasons, &mentioned)
    }
    if case .flow(_, let data) = step.kind {
      for name in data.keys.sorted() where seen.insert(name).inserted {
        check(FlowPlan.Key(name: name), step, &reasons, &mentioned)
      }
    }
    if options.sensitiveValues == .sealed {
      for name in step.inspectedNames.filter(plan.hides).sorted() {
        add("<\(name)> is sealed, so that no state can look into it.", "Use a key that isn't sensitive.")
      }
    }
    if let timeout = step.timeout, timeout <= .zero || timeout > .seconds(99_999_999) {
      add(
        "its time limit is \(DurationText.exact(timeout)).",
        "Give .timeout more than zero, and at most 99,999,999 seconds.")
    }
    for retry in [step.retry, step.undo?.retry].compactMap(\.self) {
      if !(1...99_999_999).contains(retry.attempts) || !(retry.factor >= 1 && retry.factor.isFinite) {
        add("a retry policy makes no sense.", "Give it at least 1 attempt, and a factor of at least 1.")
      }
    }
    if case .group(let group) = step.kind, group.width < 1 || group.width > 10_000 {
      add("its width is \(group.width).", "Give the group a width from 1 to 10,000.")
    }
  }

  private func check(
    _ key: FlowPlan.Key, _ step: FlowPlan.Step, _ reasons: inout [StateMachineExportError.Reason],
    _ mentioned: inout Set<String>
  ) {
    func add(_ problem: String, _ remedy: String) {
      reasons.append(StateMachineExportError.Reason(path: step.path, problem: problem, remedy: remedy))
    }
    if !DataPath.canName(key.name) {
      add(
        "the name <\(key.name)> can't be a member of a state's data.",
        "Use a name without quotes, backslashes and control characters that isn't \"\(DataPath.reserved)\".")
    }
    if !key.isCodable {
      add(
        "<\(key.name)> is a \(key.type ?? "value"), which isn't Codable.",
        "Make the type Codable, or make the value in the step that needs it.")
    }
    if key.isSensitive || plan.hides(key.name) {
      mentioned.insert(key.name)
      if options.sensitiveValues == .refused { reasons.append(.sensitive(key.name, at: step.path)) }
    }
  }

  private static func reason(_ obstacle: FlowPlan.Obstacle, _ path: FlowPath) -> StateMachineExportError.Reason {
    StateMachineExportError.Reason(path: path, problem: obstacle.problem, remedy: obstacle.remedy)
  }
}

extension FlowPlan.Step {
  /// The blocks of steps within it.
  var blocks: [[FlowPlan.Step]] {
    switch kind {
    case .work, .pause, .group: []
    case .cases(let cases, let otherwise): cases.map(\.steps) + [otherwise].compactMap(\.self)
    case .flow(let steps, _): [steps]
    case .parallel(let branches): branches
    }
  }

  /// True if the step, or a step within it, has an undo.
  var hasUndo: Bool { undo != nil || blocks.contains { $0.contains(where: \.hasUndo) } }

  /// The comparisons of the step's conditions and cases.
  var comparisons: [FlowPlan.Comparison] {
    if case .cases(let cases, _) = kind { return conditions + cases.map(\.comparison) }
    return conditions
  }

  /// The names of the values that the step's states read or write themselves.
  fileprivate var inspectedNames: Set<String> {
    switch kind {
    case .work, .pause, .parallel: []
    case .group(let group): Set([group.input] + [group.output].compactMap(\.self))
    case .cases(let cases, _): Set(cases.map(\.comparison.key))
    case .flow(_, let data): Set(data.keys)
    }
  }

  /// The step and all steps within it.
  var all: [FlowPlan.Step] { [self] + blocks.flatMap { $0.flatMap(\.all) } }
}

extension StateMachineExportError.Reason {
  static func sensitive(_ name: String, at path: FlowPath) -> Self {
    Self(
      path: path, problem: "<\(name)> is sensitive, and would stand in the history of executions in plain text.",
      remedy: "Let the workers read it from elsewhere, let them seal sensitive values, with sensitiveValues, or, if "
        + "only its name sounds secret, exclude that with redaction(_:).")
  }
}

extension FlowPlan.Key {
  /// Creates a key of which only the name is known.
  fileprivate init(name: String) {
    self.init(name: name, isSensitive: false, isRequired: false, type: nil, isCodable: true)
  }
}
