import OperationFlow
import OperationFlowReports

extension PlanMaker {
  /// Returns the properties and options of a step that only this process supports.
  static func obstacles(of step: FlowBlueprint.Step) -> [FlowPlan.Obstacle] {
    var found: [FlowPlan.Obstacle] = []
    func add(_ problem: String, _ remedy: String) { found.append(FlowPlan.Obstacle(problem, remedy: remedy)) }
    if step.isMadeByCaller {
      add(
        "its operation is an object that was made by the caller, and exists in this process only.",
        "Let the flow make it: add(MyOperation()) without the label, in place of add(operation:).")
    }
    if case .group(_, _, let isStream) = step.kind {
      if isStream {
        add("its items come from a sequence of this process.", "Let an earlier step write an array, and use its key.")
      } else if step.group?.input == nil {
        add("its dispatcher doesn't say where its items come from.", "Use forEach, or a FlowArrayGroupDispatcher.")
      }
      if let write = step.itemWrites.first {
        add(
          "its items write <\(write.name)> into the data bucket, which they don't share elsewhere.",
          "Return what an item makes as its output.")
      }
    }
    if let type = step.typeWithHiddenPorts {
      add("the inputs and outputs of \(type) can't be found.", "Build its module with reflection metadata.")
    }
    return found + step.traitObstacles
  }
}

extension FlowPlan.Key {
  init(_ port: FlowBlueprint.Port) {
    self.init(
      name: port.name, isSensitive: port.isSensitive, isRequired: port.isRequired, type: port.type,
      isCodable: port.isCodable)
  }
}

extension FlowPlan.Retry {
  init(_ policy: FlowRetryPolicy) {
    self.init(attempts: policy.attempts, first: policy.first, factor: policy.factor, limit: policy.limit)
  }
}
