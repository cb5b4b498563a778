import OperationFlow

// The changes of the data bucket.
extension HistoryEvents {
  /// Records the events without a task before an attempt: the choice of cases, and the values of nested flows.
  mutating func enter(_ step: Int, _ attempt: HistoryAttempt, at event: StepFunctionsEvent) {
    var (places, next) = ([Int](), steps[step].parent)
    while let place = next {
      places.append(place)
      next = steps[place].parent
    }
    for place in places.reversed() where entered.insert(place).inserted {
      let found = steps[place]
      if found.kind == .flow {
        add(values.beginFlow(at: found.path), place, 1, at: event)
      } else if found.kind == .branch, let owner = found.parent, steps[owner].kind == .cases {
        record(event, .caseChosen(found.name), FlowEvent.Source(steps[owner].name, step: owner))
      }
    }
    // The output of a group whose items ran in executions of their own, for example.
    if !attempt.work.isItem { add(values.notice(attempt), nil, 1, at: event) }
  }

  /// Records the values that a map has written.
  mutating func leaveMap(at event: StepFunctionsEvent) { add(values.noticeEnd(ofMap: event), nil, 1, at: event) }

  /// Records the values that an attempt has written.
  mutating func write(_ attempt: HistoryAttempt, _ step: Int, at event: StepFunctionsEvent) {
    add(values.write(attempt), step, attempt.number, at: event)
  }

  /// Records the outputs of a group that has no task to collect them.
  mutating func collect(_ last: HistoryAttempt, _ step: Int, at event: StepFunctionsEvent) {
    guard last.work.mode == "item" else { return }
    var outputs: [Int: [UInt8]] = [:]
    for attempt in attempts where attempt.work.step == last.work.step && attempt.work.isItem {
      if let index = attempt.work.index, let output = attempt.output { outputs[index] = output }
    }
    let array = RawJSON.array(outputs.sorted { $0.key < $1.key }.map(\.value))
    add(values.collect(array, at: last.work.step), step, 1, at: event)
  }

  private mutating func add(
    _ changes: [HistoryValues.Change], _ step: Int?, _ attempt: Int, at event: StepFunctionsEvent
  ) {
    for change in changes {
      guard let kind = change.kind else { continue }
      record(event, kind, FlowEvent.Source("DataBucket", step: step, attempt: attempt))
    }
  }
}

extension HistoryValues.Change {
  /// The kind of the write; `nil` if there was no value before and there is none after.
  fileprivate var kind: FlowEvent.Kind? {
    switch (old, new) {
    case (nil, nil): nil
    case (nil, let new?): .added(name: name, text: new)
    case (let old?, nil): .removed(name: name, old: old)
    case (let old?, let new?): .replaced(name: name, old: old, new: new)
    }
  }
}
