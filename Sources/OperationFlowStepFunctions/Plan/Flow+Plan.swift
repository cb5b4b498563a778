import OperationFlow
import OperationFlowReports
import OperationFlowStorage

extension Flow {
  /// The plan of the flow for another engine.
  var plan: FlowPlan {
    let (steps, settings) = (blueprint.steps, settings)
    var obstacles: [FlowPlan.Obstacle] = []
    if settings.hasRetryBudget {
      obstacles.append(
        FlowPlan.Obstacle(
          "the flow has a retry budget, which counts in one process.", remedy: "Leave out retryBudget(_:)."))
    }
    let always = steps.filter { $0.kind == .always }
    let data = startingValues()
    return FlowPlan(
      name: name, steps: PlanMaker.steps(steps), always: always.map { PlanMaker.step($0, depth: 0) },
      deadline: settings.deadline, obstacles: obstacles, sensitiveNames: data.sensitiveNames,
      initialNames: Set(data.values.keys), redaction: settings.redaction)
  }

  /// Returns the initial values as JSON; appends to `unstorable` the names of values that aren't `Codable`.
  func startingJSON(
    with data: [String: any Sendable], unstorable: inout [String]
  ) -> (values: [String: [UInt8]], sensitiveNames: Set<String>) {
    var values: [String: [UInt8]] = [:]
    let starting = startingValues(with: data)
    for (name, value) in starting.values {
      guard let value = unwrapped(value) else { continue }
      if let json = (try? StoredBytes(value))?.json { values[name] = json } else { unstorable.append(name) }
    }
    return (values, starting.sensitiveNames)
  }
}
