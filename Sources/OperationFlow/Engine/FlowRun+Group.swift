extension FlowRun {
  /// Finds a group's items.
  func planGroup(_ id: Blueprint.StepID) -> RunResult {
    guard case .group(let step) = blueprint.steps[id].kind else { return .settled(.succeeded) }
    let source = FlowEvent.Source(step.name)
    guard step.width >= 1 else {
      return .settled(recordEnd(.failed(FlowError.invalidWidth(step.width)), of: source))
    }
    switch step.source {
    case .stream(let make):
      let group = GroupRun(step: step, stream: make())
      recorder.write { $0.beginStep() }
      state.withLock { $0.group = group }
      return .planned(count: nil, width: step.width, tolerance: step.tolerance)
    case .items(let find):
      do {
        let items = try find(bucket)
        recorder.record(.groupCreated(count: items.count), source: source)
        if items.count == 0 { recorder.record(.groupIsEmpty(input: items.name), source: .group) }
        let group = GroupRun(step: step, items: items)
        state.withLock { $0.group = group }
        return .planned(count: items.count, width: step.width, tolerance: step.tolerance)
      } catch {
        return .settled(recordEnd(Settlement(error), of: source))
      }
    }
  }

  /// Writes what a group collects into the bucket.
  func collectGroup() -> RunResult {
    let taken = state.withLock { state in
      defer { state.group = nil }
      return state.group
    }
    guard let group = taken else { return .settled(.succeeded) }
    let source = FlowEvent.Source(group.step.name)
    do {
      for collected in try group.step.collect(group.results) {
        bucket.write(collected.value, named: collected.name, isSensitive: collected.isSensitive)
      }
      if group.step.keepsOutputs {
        recorder.record(.groupFinished(outputCount: group.outputs.count { $0 != nil }), source: source)
      }
      return .settled(.succeeded)
    } catch {
      return .settled(recordEnd(Settlement(error), of: source))
    }
  }
}
