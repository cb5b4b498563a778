import OperationFlow

extension PlanMaker {
  /// What of a step's options only this process can do.
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
    if step.isLimited {
      add(
        "it needs permits of a limiter, which counts in one process.", "Limit a group by its width, or by the workers.")
    }
    if step.totalTimeout != nil {
      add("its attempts share a time limit.", "Give .timeout the scope .eachAttempt, or the flow a deadline(_:).")
    }
    if step.recovers { add("it recovers from failures.", "Catch the error in the step's own work.") }
    if step.keepsResults {
      add("it keeps the result of each item.", "Leave out .results(in:): failures are in the execution's output.")
    }
    if step.handsOnResults {
      add("it hands on results to this process.", "Let a later step use the group's output.")
    }
    return found
  }
}

extension FlowPlan.Key {
  init(_ port: FlowBlueprint.Port) {
    self.init(
      name: port.name, isSensitive: port.isSensitive, isStored: port.isStored, isRequired: port.isRequired,
      type: port.type, isCodable: port.isCodable)
  }
}

extension FlowPlan.Retry {
  init(_ policy: FlowRetryPolicy) {
    self.init(attempts: policy.attempts, first: policy.first, factor: policy.factor, limit: policy.limit)
  }
}
