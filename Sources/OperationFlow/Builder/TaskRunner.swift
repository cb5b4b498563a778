/// Performs single steps of a flow for an engine elsewhere, each in a run of its own.
///
/// It does what the flow contained when it was made.
package struct TaskRunner: Sendable {
  /// What is to be done.
  package struct Work: Sendable {
    package enum Kind: Sendable {
      case step, item, undo
    }

    package let step: FlowPath
    package let kind: Kind
    /// What identifies the other engine's run.
    package let run: String
    /// The number of the attempt, counted from 1.
    package let attempt: Int
    /// The values of the data bucket, as JSON.
    package let bucket: [String: [UInt8]]
    /// The group's item as JSON, with its index.
    package var item: (index: Int, json: [UInt8])?
    /// The output of an item that is being undone, as JSON.
    package var output: [UInt8]?
    /// How the other engine's run has ended so far.
    package var ending: FlowEnding?

    package init(
      _ kind: Kind, of step: FlowPath, run: String, attempt: Int, bucket: [String: [UInt8]]
    ) {
      (self.step, self.kind, self.run, self.attempt, self.bucket) = (step, kind, run, attempt, bucket)
    }
  }

  /// What has become of it.
  package enum End: Sendable {
    /// It has succeeded, with the output of an item and what it has written; `nil` stands for a name that was removed.
    ///
    /// The sensitive names are those that are known then.
    case succeeded(output: [UInt8]?, writes: [String: [UInt8]?], sensitiveNames: Set<String>)
    /// It has failed, with the texts that nothing that is said of the error may contain.
    case failed(any Error, mayBeRetried: Bool, secrets: TaskSecrets)
    case cancelled
  }

  package let flowName: String
  private let state: Flow.State
  let blueprint: Blueprint
  let facts: BlueprintFacts
  /// The steps by the texts of their paths.
  let ids: [String: Blueprint.StepID]

  package init(_ flow: Flow) {
    var state = flow.state.withLock { state in
      state.builder.finish()
      return state
    }
    (state.run, state.willStart, state.didFinish) = (nil, nil, nil)
    self.state = state
    flowName = flow.name
    blueprint = state.builder.blueprint
    facts = flow.facts(of: blueprint)
    let paths = facts.paths
    ids = Dictionary(
      blueprint.steps.indices.compactMap { id in paths.path(of: id).map { ($0.description, id) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The names that states look into: those that decide, and those of the arrays of groups.
  package var inspectedNames: Set<String> {
    var names: Set<String> = []
    for step in blueprint.steps {
      names.formUnion(step.options.conditions.compactMap { $0.flowCase?.key })
      switch step.kind {
      case .cases(let cases): names.formUnion(cases.branches.compactMap(\.condition.key))
      case .group(let group): if let input = group.ports.input { names.insert(input.name) }
      case .operation, .closure, .flow, .parallel: break
      }
    }
    return names
  }

  /// Whether there is a step at a path.
  package func hasStep(at path: FlowPath) -> Bool { ids[path.description] != nil }

  /// The names that a step declares to write.
  package func outputs(of path: FlowPath) -> Set<String> {
    guard let id = ids[path.description] else { return [] }
    return Set(facts.ports[id].outputs.map(\.name))
  }

  /// The tolerance of a group, and the keys of its arrays; `nil` if there is no such group.
  package func group(at path: FlowPath) -> (tolerance: FlowTolerance, input: String?, output: String?, hasUndo: Bool)? {
    guard let id = ids[path.description], case .group(let group) = blueprint.steps[id].kind else { return nil }
    return (
      group.tolerance, group.ports.input?.name, group.ports.output?.name,
      blueprint.steps[id].options.special?.undo != nil
    )
  }

  /// Whether the conditions of a step are met; throws what a condition throws.
  package func meetsConditions(of path: FlowPath, _ values: [String: [UInt8]]) throws -> Bool {
    guard let id = ids[path.description] else { return false }
    let bucket = DataBucket(values.mapValues { StoredJSON($0) }, sensitiveNames: facts.sensitiveNames, recorder: nil)
    return try blueprint.steps[id].options.conditions.allSatisfy { try $0.isMet(by: bucket) }
  }

  /// The texts of sensitive values among some that a condition may look at.
  package func secrets(in values: [String: [UInt8]]) -> TaskSecrets {
    TaskSecrets(in: values) { facts.sensitiveNames.contains($0) || state.redaction.redacts($0) }
  }

  /// Performs it; cancelling the task cancels it.
  package func perform(_ work: Work) async -> End {
    func refused(_ error: FlowError) -> End { .failed(error, mayBeRetried: false, secrets: TaskSecrets()) }
    guard let id = ids[work.step.description] else { return refused(Self.noStep(work.step)) }
    let place = TaskPlace()
    let isUndo = work.kind == .undo
    let undone = work.item.map { item in
      UndoneItem(item: StoredJSON(item.json), output: work.output.map { StoredJSON($0) })
    }
    let task = RunTask(
      run: work.run, attempt: work.attempt, item: work.item?.index, isUndo: isUndo, ending: work.ending,
      undone: isUndo ? undone : nil)
    let stripped = StrippedStep(blueprint.steps[id], work, place)
    guard let step = stripped.step else { return refused(Self.noWork(work.step)) }
    var alone = blueprint
    alone.replace(id, with: step)
    alone.keepOnly(id)
    let launch = Launch(
      flowName: flowName, blueprint: SharedBlueprint(alone), facts: facts, observers: state.observers, recording: .none,
      redaction: state.redaction, clock: state.clock, limits: RunLimits(), probe: state.probe, task: task,
      mayHoldMore: true)
    if let error = launch.reserveOperations() { return refused(error) }
    let bucket = DataBucket(
      work.bucket.mapValues { StoredJSON($0) }, sensitiveNames: facts.sensitiveNames, recorder: launch.recorder)
    place.bucket = bucket
    let writes = TaskWrites()
    bucket.keepWrites(in: writes)
    let run = FlowRun(launch.engine(bucket, nil, didFinish: nil))
    run.begin()
    switch await run.outcomeOrCancel {
    case .cancelled: return .cancelled
    case .failed(let error, _):
      return .failed(
        error, mayBeRetried: mayBeRetried(error, id, work.kind),
        secrets: secrets(of: work, writes, bucket))
    case .succeeded: return end(bucket, writes, place, work, keepsOutput: keepsOutput(of: id))
    }
  }

  /// What the work has read and written that is sensitive: names may have been marked while it ran.
  private func secrets(of work: Work, _ written: TaskWrites, _ bucket: DataBucket) -> TaskSecrets {
    let names = facts.sensitiveNames.union(bucket.sensitiveNames)
    let isHidden: (String) -> Bool = { names.contains($0) || state.redaction.redacts($0) }
    var secrets = TaskSecrets(in: work.bucket, isHidden: isHidden)
    for (name, value) in written.values where isHidden(name) {
      if let value { secrets.insert(value: value) }
    }
    return secrets
  }

  private func mayBeRetried(_ error: any Error, _ id: Blueprint.StepID, _ kind: Work.Kind) -> Bool {
    if let error = error as? FlowError, !error.mayPassByItself { return false }
    guard kind != .undo else { return true }
    return blueprint.steps[id].options.special?.isWorthRetrying?(error) ?? true
  }

  private func keepsOutput(of id: Blueprint.StepID) -> Bool {
    if case .group(let group) = blueprint.steps[id].kind { group.keepsOutputs } else { false }
  }

  /// What was written, as JSON; a value that isn't `Codable` is a failure that another attempt can't change.
  private func end(
    _ bucket: DataBucket, _ written: TaskWrites, _ place: TaskPlace, _ work: Work, keepsOutput: Bool) -> End {
    do {
      var writes: [String: [UInt8]?] = [:]
      for (name, value) in written.values {
        let json: [UInt8]? = try value.map { value in
          guard let json = try StoredBytes(value)?.json else {
            throw FlowError.valueNotStorable("<\(ValueText.name(name))>", type(of: value), key: name)
          }
          return json
        }
        writes.updateValue(json, forKey: name)
      }
      guard work.kind == .item else {
        return .succeeded(output: nil, writes: writes, sensitiveNames: bucket.sensitiveNames)
      }
      if let name = place.outputName {
        return .succeeded(output: writes[name].flatMap { $0 }, writes: [:], sensitiveNames: [])
      }
      let output: [UInt8]? = try place.output.map { value in
        // A group collects an output that is nothing, too.
        guard let value = unwrapped(value) else { return [UInt8]("null".utf8) }
        if let json = try StoredBytes(value)?.json { return json }
        // An output that the group doesn't keep needn't be Codable: the answer is null then.
        if !keepsOutput { return [UInt8]("null".utf8) }
        throw FlowError.valueNotStorable("the output of an item", type(of: value))
      }
      return .succeeded(output: output, writes: writes, sensitiveNames: bucket.sensitiveNames)
    } catch {
      return .failed(error, mayBeRetried: false, secrets: secrets(of: work, written, bucket))
    }
  }

  private static func noStep(_ path: FlowPath) -> FlowError {
    FlowError(
      .missingData, "there is no step at \(path)",
      remedy: "Let the worker have the flow that was exported, or export the flow that it has.")
  }

  private static func noWork(_ path: FlowPath) -> FlowError {
    FlowError(
      .notImplemented, "the step at \(path) has nothing of this kind to do",
      remedy: "Let the worker have the flow that was exported, or export the flow that it has.")
  }
}
