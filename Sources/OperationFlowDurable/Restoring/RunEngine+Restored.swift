import OperationFlow

// The traces of a run's earlier processes in its record, and the groups that ended there.
extension RunEngine {
  /// Records earlier facts that count after the resume: undos, recoveries, failures of `always` steps, and groups.
  func recordRestored() {
    recorder.record(.logged("resumed from its journal", .info), source: source)
    let failedSteps = Set(withFacts { $0.notes(.alwaysFailure) }.compactMap(\.step))
    let groups = withGroups { groups in
      groups.all.map { (step: $0.step, counts: $0.run.itemCounts(), expected: $0.run.stream?.knownCount) }
    }
    recorder.recordHeld { kind, source in
      guard case .finished = kind else { return true }
      return source.item == nil && failedSteps.contains(Int(source.step))
    }
    for (step, counts, expected) in groups {
      let source = FlowEvent.Source(blueprint.steps[step].name, step: step)
      recorder.record((counts.total ?? expected).map { .groupCreated(count: $0) } ?? .groupStarted, source: source)
      let endedCount = counts.succeeded + counts.failed + counts.cancelled
      if endedCount > 0 { recorder.record(.leftOut(events: 0, items: endedCount), source: source) }
    }
  }

  /// Reads or changes a group under the lock; returns `nil` if the group isn't running.
  func withGroup<Result>(_ step: Int, _ body: (GroupRun) -> Result) -> Result? {
    withGroups { $0[step].map(body) }
  }

  /// Drops the results of groups, which have been written.
  func dropResults() { _ = withGroups { $0.takeResults() } }

  /// Ends a group; begins it again if its collected results could not be written.
  func endGroupAgain(_ step: Int, isWritten: Bool) {
    let run = endGroup(step)
    _ = run?.takeResults()
    if !isWritten, let run { begin(run, step) }
  }
}
