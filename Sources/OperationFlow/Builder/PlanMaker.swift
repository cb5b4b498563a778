/// Makes the plan of a flow from its blueprint.
struct PlanMaker {
  /// How deep steps may be within each other: an engine elsewhere limits the size of what it is given.
  private static let deepest = 40

  let blueprint: Blueprint
  let facts: BlueprintFacts

  /// The steps of a block, in order.
  func steps(of block: Blueprint.BlockID, depth: Int = 0) -> [FlowPlan.Step] {
    blueprint.blocks[block].steps.map { step(id: $0, depth: depth) }
  }

  func step(id: Blueprint.StepID, depth: Int) -> FlowPlan.Step {
    let (step, ports) = (blueprint.steps[id], facts.ports[id])
    var obstacles = obstacles(of: step, ports)
    if depth > Self.deepest {
      obstacles.append(
        FlowPlan.Obstacle(
          "it is within more than \(Self.deepest) others.", remedy: "Make a flow of its own from the inner steps."))
    }
    let special = step.options.special
    let comparisons = step.options.conditions.compactMap(\.flowCase).compactMap(Self.comparison)
    return FlowPlan.Step(
      id: id, path: facts.paths.path(of: id) ?? FlowPath(step.name), name: step.name,
      kind: depth > Self.deepest ? .work : kind(of: step, depth, &obstacles),
      keys: (ports.allInputs.map(FlowPlan.Key.init) + (ports.outputs + ports.itemWrites).map(FlowPlan.Key.init)),
      reads: reads(of: step, ports), writes: ports.mayWriteAnything ? nil : ports.outputs.map(FlowPlan.Key.init),
      retry: special?.retry.map(FlowPlan.Retry.init), timeout: special?.attempts?.timeout,
      undo: special?.undo.map { FlowPlan.Undo(retry: $0.retry.map(FlowPlan.Retry.init), timeout: $0.timeout) },
      conditions: comparisons, hasOtherConditions: comparisons.count < step.options.conditions.count,
      obstacles: obstacles)
  }

  private func kind(
    of step: Blueprint.Step, _ depth: Int, _ obstacles: inout [FlowPlan.Obstacle]
  ) -> FlowPlan.Kind {
    let deeper = depth + 1
    switch step.kind {
    case .operation, .closure: return .work
    case .group(let group):
      return .group(
        FlowPlan.Group(
          input: group.ports.input?.name ?? "", output: group.ports.output?.name, width: group.width,
          tolerance: group.tolerance, runsClosure: group.runsClosure))
    case .cases(let cases):
      var branches: [FlowPlan.Case] = []
      var otherwise: [FlowPlan.Step]?
      for branch in cases.branches {
        noteAlways(of: branch.block, &obstacles)
        let inner = steps(of: branch.block, depth: deeper)
        if branch.condition.key == nil {
          if otherwise == nil { otherwise = inner }
        } else if let comparison = Self.comparison(branch.condition) {
          branches.append(FlowPlan.Case(comparison: comparison, steps: inner))
        } else {
          obstacles.append(
            FlowPlan.Obstacle(
              "the value of a case isn't a text, a number or a Boolean in JSON.",
              remedy: "Use a key of such a type for the cases."))
        }
      }
      return .cases(branches, otherwise: otherwise)
    case .flow(let block, let data, _):
      noteAlways(of: block, &obstacles)
      var stored: [String: [UInt8]] = [:]
      for (name, value) in data {
        guard let value = unwrapped(value) else { continue }
        stored[name] = (try? StoredBytes(value))?.json
        if stored[name] == nil {
          obstacles.append(
            FlowPlan.Obstacle(
              "its initial value <\(name)> isn't Codable.", remedy: "Make \(type(of: value)) Codable, or set another."))
        }
      }
      return .flow(steps(of: block, depth: deeper), data: stored)
    case .parallel(let branches):
      for branch in branches { noteAlways(of: branch.block, &obstacles) }
      return .parallel(branches.map { steps(of: $0.block, depth: deeper) })
    }
  }

  private func noteAlways(of block: Blueprint.BlockID, _ obstacles: inout [FlowPlan.Obstacle]) {
    guard !blueprint.blocks[block].always.isEmpty else { return }
    obstacles.append(
      FlowPlan.Obstacle(
        "it has steps that always run at the end.", remedy: "Add them to the outermost flow with always(_:)."))
  }

  /// The keys that it certainly reads, and no others; `nil` if that isn't known.
  private func reads(of step: Blueprint.Step, _ ports: StepPorts) -> [FlowPlan.Key]? {
    let declared = step.options.declared
    let inputs: [InputPort]
    switch step.kind {
    case .closure:
      guard let declared, declared.declaresReads else { return nil }
      inputs = declared.reads
    case .operation:
      guard !ports.inputs.isEmpty else { return nil }
      inputs = ports.inputs
    case .group(let group):
      if group.runsClosure {
        guard let declared, declared.declaresReads else { return nil }
        inputs = declared.reads
      } else {
        guard let others = Self.inputs(besideItemOf: group) else { return nil }
        inputs = others + (declared?.reads ?? [])
      }
    case .cases, .flow, .parallel: return nil
    }
    guard inputs.allSatisfy(\.isRequired) else { return nil }
    return inputs.map(FlowPlan.Key.init)
  }

  /// What the operations of a group declare to read besides their items; `nil` if they declare nothing.
  private static func inputs(besideItemOf group: GroupStep) -> [InputPort]? {
    guard let creator = group.ports.creator, OperationType.of(creator).declaresPorts else { return nil }
    var operation: FlowOperation? = creator.create()
    defer { FlowOperation.release(&operation) }
    let item = operation?.primaryInputName()
    return operation?.inputPorts.filter { $0.name != item }
  }

  /// A comparison that JSON can express.
  private static func comparison(_ condition: FlowCase) -> FlowPlan.Comparison? {
    guard let key = condition.key else { return nil }
    let values = condition.values.compactMap(\.json).filter { json in
      json.first.map { ![0x7B, 0x5B, 0x6E].contains($0) } ?? false
    }
    guard values.count == condition.values.count else { return nil }
    return FlowPlan.Comparison(key: key, values: values)
  }
}
