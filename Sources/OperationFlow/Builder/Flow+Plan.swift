extension Flow {
  /// The flow as an engine elsewhere needs to know it.
  package var plan: FlowPlan {
    let (blueprint, limits, redaction) = state.withLock { ($0.finishedBlueprint(), $0.limits, $0.redaction) }
    let facts = facts(of: blueprint)
    let maker = PlanMaker(blueprint: blueprint, facts: facts)
    var obstacles: [FlowPlan.Obstacle] = []
    if limits.retryBudget != .unlimited {
      obstacles.append(
        FlowPlan.Obstacle(
          "the flow has a retry budget, which counts in one process.", remedy: "Leave out retryBudget(_:)."))
    }
    let always = blueprint.blocks[Blueprint.root].always.flatMap { blueprint.blocks[$0].steps }
    return FlowPlan(
      name: name, steps: maker.steps(of: Blueprint.root), always: always.map { maker.step(id: $0, depth: 0) },
      deadline: limits.deadline, obstacles: obstacles, sensitiveNames: facts.sensitiveNames,
      initialNames: Set(initialData.values.keys), redaction: redaction)
  }

  /// The values that a run begins with as JSON, without those whose names `unstorable` gets because they aren't `Codable`.
  package func startingJSON(
    with data: [String: any Sendable], unstorable: inout [String]
  ) -> (values: [String: [UInt8]], sensitiveNames: Set<String>) {
    var values: [String: [UInt8]] = [:]
    let starting = startingData.merging(data)
    for (name, value) in starting.values {
      guard let value = unwrapped(value) else { continue }
      if let json = (try? StoredBytes(value))?.json { values[name] = json } else { unstorable.append(name) }
    }
    let blueprint = state.withLock { $0.finishedBlueprint() }
    return (values, starting.sensitiveNames.union(facts(of: blueprint).sensitiveNames))
  }
}
