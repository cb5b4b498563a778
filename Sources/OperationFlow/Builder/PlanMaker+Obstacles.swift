extension PlanMaker {
  /// What of a step's options only this process can do.
  func obstacles(of step: Blueprint.Step, _ ports: StepPorts) -> [FlowPlan.Obstacle] {
    var found: [FlowPlan.Obstacle] = []
    func add(_ problem: String, _ remedy: String) { found.append(FlowPlan.Obstacle(problem, remedy: remedy)) }
    switch step.kind {
    case .operation(.instance):
      add(
        "its operation is an object that was made by the caller, and exists in this process only.",
        "Let the flow make it: add(MyOperation()) without the label, in place of add(operation:).")
    case .group(let group):
      if group.isStream {
        add("its items come from a sequence of this process.", "Let an earlier step write an array, and use its key.")
      } else if group.ports.input == nil {
        add("its dispatcher doesn't say where its items come from.", "Use forEach, or a FlowArrayGroupDispatcher.")
      }
      if !ports.itemWrites.isEmpty {
        add(
          "its items write <\(ports.itemWrites[0].name)> into the data bucket, which they don't share elsewhere.",
          "Return what an item makes as its output.")
      }
    case .operation, .closure, .cases, .flow, .parallel: break
    }
    if let type = ports.typeWithHiddenPorts {
      add("the inputs and outputs of \(type) can't be found.", "Build its module with reflection metadata.")
    }
    guard let special = step.options.special else { return found }
    if special.limits != nil {
      add(
        "it needs permits of a limiter, which counts in one process.", "Limit a group by its width, or by the workers.")
    }
    if special.attempts?.totalTimeout != nil {
      add("its attempts share a time limit.", "Give .timeout the scope .eachAttempt, or the flow a deadline(_:).")
    }
    if special.recover != nil { add("it recovers from failures.", "Catch the error in the step's own work.") }
    if special.results?.kept != nil {
      add("it keeps the result of each item.", "Leave out .results(in:): failures are in the execution's output.")
    }
    if special.results?.handsOn == true {
      add("it hands on results to this process.", "Let a later step use the group's output.")
    }
    return found
  }
}

extension FlowPlan.Key {
  init(_ port: InputPort) {
    self.init(
      name: port.name, isSensitive: port.isSensitive, isStored: port.isStored, isRequired: port.isRequired,
      type: port.type.map(TypeName.of), isCodable: isCodableType(port.type))
  }

  init(_ port: OutputPort) {
    self.init(
      name: port.name, isSensitive: port.isSensitive, isStored: port.isStored, isRequired: false,
      type: port.type.map(TypeName.of), isCodable: isCodableType(port.type))
  }
}

private func isCodableType(_ type: Any.Type?) -> Bool {
  guard let type else { return true }
  return type is any Encodable.Type && type is any Decodable.Type
}

extension FlowPlan.Retry {
  init(_ policy: FlowRetryPolicy) {
    self.init(attempts: policy.attempts, first: policy.first, factor: policy.factor, limit: policy.limit)
  }
}

extension FlowTolerance {
  /// How many may fail of a number of items.
  package func toleratedCount(of count: Int) -> Int { failureCount(of: count) }
}
