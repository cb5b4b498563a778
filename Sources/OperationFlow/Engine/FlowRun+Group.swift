import Foundation

extension FlowRun {
  /// Asks a group's dispatcher for the items.
  func planGroup(_ id: Blueprint.StepID) -> RunResult {
    guard case .group(let step) = blueprint.steps[id].kind else { return .settled(.succeeded) }
    let source = dispatcherSource(step)
    let width = step.dispatcher.maxConcurrentOperationCount
    do {
      guard width >= 1 else {
        throw FlowError(
          .invalidWidth, "maxConcurrentOperationCount is \(width)", remedy: "Give the group a width of at least 1.")
      }
      let items = try step.dispatcher.items(in: bucket)
      recorder.record(.groupCreated(count: items.count), source: source)
      if items.count == 0 { recorder.record(.groupIsEmpty(input: items.name), source: .group) }
      state.withLock { $0.group = GroupRun(step: step, items: items) }
      return .planned(count: items.count, width: width, toleratesFailure: step.dispatcher.allowFailure)
    } catch {
      return .settled(recordEnd(Settlement(error), of: source))
    }
  }

  /// Asks a group's dispatcher for what it collects, and writes that into the bucket.
  func collectGroup(_ id: Blueprint.StepID) -> RunResult {
    guard
      let group = state.withLock({ state in
        defer { state.group = nil }
        return state.group
      })
    else { return .settled(.succeeded) }
    let source = dispatcherSource(group.step)
    do {
      let values = try group.step.dispatcher.collect(
        FlowGroupResults(outputs: group.outputs, failures: group.failures))
      for (name, value) in values.sorted(by: { $0.key < $1.key }) { bucket.write(value, named: name) }
      let outputCount = group.outputs.count { $0 != nil }
      recorder.record(.groupFinished(outputCount: outputCount), source: source)
      return .settled(.succeeded)
    } catch {
      return .settled(recordEnd(Settlement(error), of: source))
    }
  }

  private func dispatcherSource(_ step: Blueprint.GroupStep) -> FlowEvent.Source {
    FlowEvent.Source(TypeName.of(type(of: step.dispatcher)))
  }
}
