/// The consequences of each step's failures: undos, recoveries, and retried items.
package final class RunAftermath: Sendable {
  private struct Counts: Sendable {
    var followUps = FollowUps()
    /// True if the counts are from a record that has left out events of a group's items, so that there may be more.
    var isPartial = false
  }

  private let record: FlowRecord
  /// The counts of each step, and then those of unknown steps.
  private let counts: [Counts]
  package let undoFailures: [FlowEvent]
  /// The failures of other steps than the one with which the run failed, such as steps that always run.
  let otherFailures: [FlowEvent]

  package init(_ record: FlowRecord) {
    self.record = record
    var counts = [Counts](repeating: Counts(), count: record.steps.count + 1)
    var undoFailures = [FlowEvent]()
    var otherFailures = [FlowEvent]()
    for event in record.events {
      guard let step = event.step else { continue }
      let place = record.places[step] ?? record.steps.count
      switch event.kind {
      case .undoFinished(.successfully) where !event.isRetried: counts[place].followUps.undone += 1
      case .undoFinished where !event.isRetried:
        counts[place].followUps.notUndone += 1
        undoFailures.append(event)
      case .recovered: counts[place].followUps.recovered += 1
      case .leftOut(let events, _) where events > 0 && record.step(step)?.items != nil: counts[place].isPartial = true
      case .started where event.attempt == 2 && event.source.item != nil: counts[place].followUps.retriedItems += 1
      case .finished(let finish) where event.source.item == nil && finish.errorText != nil:
        if event.isRetried || event.isRecovering || event.isPassedOn { continue }
        if step != record.ending?.failure?.step, record.step(step)?.state == .failed { otherFailures.append(event) }
      default: continue
      }
    }
    // Exact counts replace those of the record.
    for (place, step) in record.steps.enumerated() {
      if let known = step.followUps { counts[place] = Counts(followUps: known) }
    }
    self.counts = counts
    self.undoFailures = undoFailures
    self.otherFailures = otherFailures
  }

  package var undoneCount: Int { counts.reduce(0) { $0 + $1.followUps.undone } }
  /// Returns how often a step, or items of a group, were undone.
  package func undoneCount(of step: Int) -> Int { counts(of: step).followUps.undone }

  package var notUndoneCount: Int { counts.reduce(0) { $0 + $1.followUps.notUndone } }

  /// True if there may be more undos than were counted.
  package var mayHaveMoreUndos: Bool {
    zip(record.steps, counts).contains { $0.options.contains(.undo) && $1.isPartial }
  }

  private func counts(of step: Int) -> Counts { counts[record.places[step] ?? record.steps.count] }

  func hasUndoFailure(_ step: Int) -> Bool { counts(of: step).followUps.notUndone > 0 }

  /// Returns the texts about a step's undos, the failed ones first.
  package func undoTexts(of step: Int) -> [String] {
    let counts = counts(of: step)
    let followUps = counts.followUps
    return [(followUps.notUndone, "undo failed"), (followUps.undone, "undone")].filter { $0.0 > 0 }.map { count, text in
      let times = count == 1 ? "once" : "\(count) times"
      return counts.isPartial ? "\(text) at least \(times)" : count == 1 ? text : "\(text) \(times)"
    }
  }

  func texts(of step: Int, isGroup: Bool) -> [String] {
    let counts = counts(of: step)
    let retried = counts.followUps.retriedItems
    let recovered = counts.followUps.recovered
    let items = ValueText.counts(["tried again": retried, "recovered": isGroup ? recovered : 0])
    return undoTexts(of: step) + items.map { counts.isPartial ? "at least \($0)" : $0 }
      + (recovered > 0 && !isGroup ? ["recovered"] : [])
  }
}

extension FlowEvent {
  /// The error in an event that reports an end, or the text of another end.
  package var errorText: String {
    switch kind {
    case .finished(let finish), .undoFinished(let finish): finish.errorText ?? finish.summaryText
    default: ""
    }
  }
}
