import OperationFlow
import OperationFlowReports
import OperationFlowStorage

/// Makes the plan of a flow from its blueprint.
enum PlanMaker {
  /// The maximum depth of steps within others: other engines limit the size of a definition.
  private static let deepest = 40

  /// Returns the plans of adjacent steps, without those that always run at the end.
  static func steps(_ steps: [FlowBlueprint.Step], depth: Int = 0) -> [FlowPlan.Step] {
    steps.filter { $0.kind != .always }.map { step($0, depth: depth) }
  }

  static func step(_ step: FlowBlueprint.Step, depth: Int) -> FlowPlan.Step {
    var obstacles = obstacles(of: step)
    if depth > deepest {
      obstacles.append(
        FlowPlan.Obstacle(
          "it is within more than \(deepest) others.", remedy: "Make a flow of its own from the inner steps."))
    }
    let comparisons = step.conditions.compactMap(\.self).compactMap(comparison)
    return FlowPlan.Step(
      id: step.number, path: step.path, name: step.name,
      kind: depth > deepest ? .work : kind(of: step, depth, &obstacles),
      keys: (step.inputs + step.outputs + step.itemWrites).map(FlowPlan.Key.init),
      reads: step.certainReads?.map(FlowPlan.Key.init),
      writes: step.mayWriteAnything ? nil : step.outputs.map(FlowPlan.Key.init),
      retry: step.retry.map(FlowPlan.Retry.init), timeout: step.timeout,
      undo: step.undo.map { FlowPlan.Undo(retry: $0.retry.map(FlowPlan.Retry.init), timeout: $0.timeout) },
      conditions: comparisons, hasOtherConditions: comparisons.count < step.conditions.count, obstacles: obstacles)
  }

  private static func kind(
    of step: FlowBlueprint.Step, _ depth: Int, _ obstacles: inout [FlowPlan.Obstacle]
  ) -> FlowPlan.Kind {
    let deeper = depth + 1
    if step.branches.contains(where: { $0.steps.contains { $0.kind == .always } }) {
      obstacles.append(
        FlowPlan.Obstacle(
          "it has steps that always run at the end.", remedy: "Add them to the outermost flow with always(_:)."))
    }
    switch step.kind {
    case .operation, .closure:
      guard let pause = step.pause else { return .work }
      if step.undo != nil || step.timeout != nil {
        obstacles.append(
          FlowPlan.Obstacle(
            "it waits, which can be neither undone nor limited elsewhere.", remedy: "Leave out .undo and .timeout."))
      }
      return .pause(pause)
    case .group(let width, let tolerance, _):
      return .group(
        FlowPlan.Group(
          input: step.group?.input ?? "", output: step.group?.output, width: width, tolerance: tolerance,
          runsClosure: step.group?.runsClosure == true))
    case .cases:
      var branches: [FlowPlan.Case] = []
      var otherwise: [FlowPlan.Step]?
      for branch in step.branches {
        let inner = steps(branch.steps, depth: deeper)
        guard let condition = branch.condition, condition.key != nil else {
          if otherwise == nil { otherwise = inner }
          continue
        }
        if let comparison = comparison(condition) {
          branches.append(FlowPlan.Case(comparison: comparison, steps: inner))
        } else {
          obstacles.append(
            FlowPlan.Obstacle(
              "the value of a case isn't a text, a number or a Boolean in JSON.",
              remedy: "Use a key of such a type for the cases."))
        }
      }
      return .cases(branches, otherwise: otherwise)
    case .flow, .always:
      let data = storedData(of: step, &obstacles)
      return .flow(step.branches.flatMap { steps($0.steps, depth: deeper) }, data: data)
    case .parallel: return .parallel(step.branches.map { steps($0.steps, depth: deeper) })
    }
  }

  /// Returns the initial values of a nested flow, as JSON.
  private static func storedData(
    of step: FlowBlueprint.Step, _ obstacles: inout [FlowPlan.Obstacle]
  ) -> [String: [UInt8]] {
    var stored: [String: [UInt8]] = [:]
    for (name, value) in step.initialData {
      guard let value = unwrapped(value) else { continue }
      stored[name] = (try? StoredBytes(value))?.json
      if stored[name] == nil {
        obstacles.append(
          FlowPlan.Obstacle(
            "its initial value <\(name)> isn't Codable.", remedy: "Make \(type(of: value)) Codable, or set another."))
      }
    }
    return stored
  }

  /// Returns the comparison if JSON can express it with the same result; otherwise `nil`.
  private static func comparison(_ condition: FlowCase) -> FlowPlan.Comparison? {
    guard let key = condition.key else { return nil }
    let values = condition.comparedValues.compactMap { (try? StoredBytes($0))?.json }.filter { json in
      json.first.map { ![0x7B, 0x5B, 0x6E].contains($0) } ?? false
    }
    guard values.count == condition.comparedValues.count else { return nil }
    // NaN equals no number.
    if condition.comparedValues.contains(where: { ($0 as? any FloatingPoint)?.isNaN == true }) { return nil }
    return FlowPlan.Comparison(key: key, values: values)
  }
}
