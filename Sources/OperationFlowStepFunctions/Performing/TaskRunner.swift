import OperationFlow
import OperationFlowReports
import OperationFlowStorage

/// Performs single steps of a flow for another engine, each in a run of its own.
///
/// It performs the flow as it was when the runner was created.
struct TaskRunner: Sendable {
  /// A piece of work to perform.
  struct Work: Sendable {
    let step: FlowPath
    let kind: RunTask.Kind
    /// The identifier of the other engine's run.
    let run: String
    /// The number of the attempt, counted from 1.
    let attempt: Int
    /// The values of the data bucket, as JSON.
    let bucket: [String: [UInt8]]
    /// The group's item as JSON, with its index.
    var item: (index: Int, json: [UInt8])?
    /// The output of an item that is being undone, as JSON.
    var output: [UInt8]?
    /// The ending of the other engine's run so far.
    var ending: FlowEnding?

    init(
      _ kind: RunTask.Kind, of step: FlowPath, run: String, attempt: Int, bucket: [String: [UInt8]]
    ) {
      (self.step, self.kind, self.run, self.attempt, self.bucket) = (step, kind, run, attempt, bucket)
    }
  }

  /// The end of a piece of work.
  enum End: Sendable {
    /// The work has succeeded, with an item's output and the work's writes; `nil` stands for a name that was removed.
    ///
    /// The sensitive names are those at the end of the run, and those of the writes that records hide.
    case succeeded(output: [UInt8]?, writes: [String: [UInt8]?], sensitiveNames: Set<String>)
    /// The work has failed, with the secrets that no text about the error may contain.
    case failed(any Error, mayBeRetried: Bool, secrets: TaskSecrets)
    case cancelled
  }

  var flowName: String { runs.steps.name }
  private let runs: StepRuns
  /// The steps by the texts of their paths.
  private let steps: [String: FlowBlueprint.Step]

  init(_ flow: Flow) {
    runs = StepRuns(flow)
    steps = Dictionary(runs.steps.allSteps.map { ($0.path.description, $0) }) { first, _ in first }
  }

  /// The names of the values that states read: in conditions, in cases, and as the input array of a group.
  var inspectedNames: Set<String> {
    var names: Set<String> = []
    for step in steps.values {
      names.formUnion(step.conditions.compactMap { $0?.key })
      names.formUnion(step.branches.compactMap { $0.condition?.key })
      if let input = step.group?.input { names.insert(input) }
    }
    return names
  }

  /// Returns true if there is a step at a path.
  func hasStep(at path: FlowPath) -> Bool { steps[path.description] != nil }

  /// Returns the names that a step declares to write.
  func outputs(of path: FlowPath) -> Set<String> { Set(steps[path.description]?.outputs.map(\.name) ?? []) }

  /// Returns the tolerance of a group, and the keys of its arrays; `nil` if there is no such group.
  func group(at path: FlowPath) -> (tolerance: FlowTolerance, input: String?, output: String?, hasUndo: Bool)? {
    guard let step = steps[path.description], let group = step.group, case .group(_, let tolerance, _) = step.kind
    else { return nil }
    return (tolerance, group.input, group.output, step.hasUndo)
  }

  /// Returns true if the conditions of a step are met; throws the error of a condition.
  func meetsConditions(of path: FlowPath, _ values: [String: [UInt8]]) throws -> Bool {
    guard let step = steps[path.description] else { return false }
    return try runs.meetsConditions(of: step, values.mapValues { StoredJSON($0) })
  }

  /// Returns the texts of the sensitive values among those that a condition may read.
  func secrets(in values: [String: [UInt8]]) -> TaskSecrets { TaskSecrets(in: values, isHidden: runs.hides) }

  /// Performs the work; cancelling the surrounding task cancels the work.
  func perform(_ work: Work) async -> End {
    func refused(_ error: FlowError) -> End { .failed(error, mayBeRetried: false, secrets: TaskSecrets()) }
    guard let step = steps[work.step.description] else { return refused(Self.noStep(work.step)) }
    let task = RunTask(
      work.kind, run: work.run, attempt: work.attempt, item: work.item.map { ($0.index, StoredJSON($0.json)) },
      output: work.output.map { StoredJSON($0) }, ending: work.ending)
    let run: StepRun
    do {
      run = try runs.run(of: step, for: task, with: work.bucket.mapValues { StoredJSON($0) })
    } catch {
      return refused(error)
    }
    let writes = TaskWrites()
    run.bucket.keepWrites(in: writes)
    switch await run.perform() {
    case .cancelled: return .cancelled
    case .failed(let error, _):
      return .failed(
        error, mayBeRetried: mayBeRetried(error, step, work.kind),
        secrets: secrets(of: work, step, writes, run.bucket))
    case .succeeded: return end(run, writes, work, step)
    }
  }

  /// Returns the sensitive values that the work has read and written; names may have been marked while it ran.
  private func secrets(
    of work: Work, _ step: FlowBlueprint.Step, _ written: TaskWrites, _ bucket: DataBucket
  ) -> TaskSecrets {
    let names = bucket.sensitiveNames
    let isHidden: (String) -> Bool = { names.contains($0) || runs.hides($0) }
    var secrets = TaskSecrets(in: work.bucket, isHidden: isHidden)
    // A value that was read as a type has other texts than its JSON, such as those of a date or of the parts of an
    // address.
    for (name, value) in bucket.values where isHidden(name) { secrets.insert(value: value) }
    if let item = work.item, step.group?.input.map(isHidden) == true { secrets.insert(item.json) }
    if let output = work.output, step.group?.output.map(isHidden) == true { secrets.insert(output) }
    for (name, value) in written.values where isHidden(name) {
      if let value { secrets.insert(value: value) }
    }
    return secrets
  }

  private func mayBeRetried(_ error: any Error, _ step: FlowBlueprint.Step, _ kind: RunTask.Kind) -> Bool {
    if let error = error as? FlowError, !error.isRetryable { return false }
    return kind == .undo || step.isWorthRetrying(error)
  }

  /// Returns the writes as JSON; a value that isn't `Codable` is a failure that another attempt can't change.
  private func end(_ run: StepRun, _ written: TaskWrites, _ work: Work, _ step: FlowBlueprint.Step) -> End {
    let bucket = run.bucket
    do {
      var writes: [String: [UInt8]?] = [:]
      for (name, value) in written.values {
        let json: [UInt8]? = try value.map { value in
          guard let json = try StoredBytes(value)?.json else {
            throw FlowError.unstorableValue("<\(ValueText.name(name))>", type(of: value), key: name)
          }
          return json
        }
        writes.updateValue(json, forKey: name)
      }
      let names = writes.keys + [step.group?.output].compactMap(\.self)
      let sensitiveNames = bucket.sensitiveNames.union(names.filter(runs.hides))
      guard work.kind == .item else {
        return .succeeded(output: nil, writes: writes, sensitiveNames: sensitiveNames)
      }
      if let name = run.outputName {
        return .succeeded(output: writes[name].flatMap { $0 }, writes: [:], sensitiveNames: sensitiveNames)
      }
      let output: [UInt8]? = try run.output.map { value in
        // A group also collects an output that is `nil`.
        guard let value = unwrapped(value) else { return [UInt8]("null".utf8) }
        if let json = try StoredBytes(value)?.json { return json }
        // If the group doesn't use its outputs, they needn't be Codable, and the answer is null.
        if step.group?.keepsOutputs != true { return [UInt8]("null".utf8) }
        throw FlowError.unstorableValue("the output of an item", type(of: value))
      }
      return .succeeded(output: output, writes: writes, sensitiveNames: sensitiveNames)
    } catch {
      return .failed(error, mayBeRetried: false, secrets: secrets(of: work, step, written, bucket))
    }
  }

  private static func noStep(_ path: FlowPath) -> FlowError {
    FlowError(
      .missingData, "there is no step at \(path)",
      remedy: "Let the worker have the flow that was exported, or export the flow that it has.")
  }
}

extension FlowError {
  fileprivate static func unstorableValue(_ what: String, _ type: Any.Type, key: String? = nil) -> FlowError {
    let name = TypeName.of(type)
    return FlowError(
      .valueNotStorable, "\(what) is a \(name), which isn't Codable, so no other engine can keep it",
      remedy: "Make \(name) Codable, or let the step that needs it make it.", key: key)
  }
}
