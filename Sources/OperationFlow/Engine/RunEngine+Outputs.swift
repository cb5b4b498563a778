/// A declared output that a step did not write, although it succeeded.
struct MissingOutput: Sendable {
  /// The last step that did not write it.
  let step: String
  /// The number of the newest event when the step ended, or when the log was last searched for a removal of the output.
  var eventNumber: Int
}

extension RunEngine {
  /// Warns that a step succeeded without a declared output, and remembers this for the error of a step that needs it.
  func outputIsMissing(_ name: String, _ source: FlowEvent.Source) {
    let place = paths.path(of: Int(source.step)).map { " (\($0))" } ?? ""
    let owner = source.description + place
    let missing = MissingOutput(step: owner, eventNumber: recorder.newest?.number ?? 0)
    let earlier = state.withLock { $0.missingOutputs.updateValue(missing, forKey: name) }
    if earlier?.step == owner { return }
    let problem = "is declared as an output, and was not written"
    let remedy = "write it before the step succeeds, or do not declare it"
    recorder.record(.warned("<\(name)> \(problem): \(remedy)."), source: source)
  }

  /// Returns the error; if a step did not write the key that is missing, the error names the step.
  func explaining(_ error: FlowError) -> FlowError {
    guard let key = error.key, error.code == .missingData, error.flow == nil,
      let owner = state.withLock({ $0.missingOutputs[key] }), !bucket.contains(key)
    else { return error }
    // A key that was removed since then was written by another step. Each event is searched once, for all who miss the
    // key.
    let name = ValueText.name(key)
    let newest = recorder.newest?.number ?? owner.eventNumber
    let wasRemoved = recorder.log.recorded(from: owner.eventNumber + 1).contains { event in
      if case .removed(let removed, _) = event.kind { removed == name } else { false }
    }
    state.withLock { state in
      guard let known = state.missingOutputs[key] else { return }
      state.missingOutputs[key]?.eventNumber = max(newest, known.eventNumber)
      if wasRemoved { state.missingOutputs[key] = nil }
    }
    if wasRemoved { return error }
    return FlowError(
      error.code, "\(error.problem), declared by \(owner.step), which succeeded without assigning it",
      remedy: "Write <\(key)> in \(owner.step) before it succeeds, or do not declare it there.", flow: error.flow,
      step: error.step, path: error.path, attempt: error.attempt, key: key)
  }

  /// Warns of declared outputs that a successful step did not write.
  func checkOutputs(_ source: FlowEvent.Source) {
    guard source.item == nil, let writes = blueprint.steps[Int(source.step)].options?.declared?.writes else { return }
    for output in writes where !bucket.contains(output.name) { outputIsMissing(output.name, source) }
  }

  package func begin(_ group: GroupRun, _ step: Blueprint.StepID) { state.withLock { $0.groups.begin(group, step) } }

  /// Removes and returns a group that is at its end.
  package func endGroup(_ step: Blueprint.StepID) -> GroupRun? { state.withLock { $0.endGroup(step) } }

  /// Writes the results of a group's items; returns an error if one of them has another type than the key.
  func write(_ written: WrittenResults, of step: Blueprint.StepID) -> FlowError? {
    let name = written.kept.port.name
    let output = written.step.output?.name
    let isSensitive =
      written.kept.port.isSensitive || written.hidesOutputs || output.map(bucket.isSensitive) ?? false
      || bucket.isSensitive(name)
    if isSensitive { bucket.markSensitive([name]) }
    // If the output's key is marked as sensitive later, the results are hidden as well.
    if let output { recorder.link(name, to: output, in: step) }
    let (array, mismatch) = written.kept.array(written.results, isSensitive)
    bucket.write(array, named: name, isSensitive: isSensitive, by: FlowEvent.Source(written.step.name, step: step))
    return mismatch
  }

  /// Writes the results of groups that have begun and did not complete, once none of their items runs any more.
  func writeResultsOfStoppedGroups() {
    for (step, results) in state.withLock({ $0.groups.takeResults() }) { _ = write(results, of: step) }
  }
}
