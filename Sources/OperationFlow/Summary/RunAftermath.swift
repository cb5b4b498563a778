/// What followed the failures of each step: undos, recoveries, and items that were tried again.
package final class RunAftermath: Sendable {
  private struct Counts: Sendable {
    var (undone, notUndone, retriedItems, recovered) = (0, 0, 0, 0)
    /// Whether the record has left out events of a group's items, so that there may be more of all that is counted.
    var isPartial = false
  }

  private let digest: RunDigest
  /// Those of each step, and then those of steps that aren't known.
  private let counts: [Counts]
  package let undoFailures: [FlowEvent]
  /// What failed beside the step that the run failed with, such as steps that always run.
  let otherFailures: [FlowEvent]

  package init(_ digest: RunDigest) {
    self.digest = digest
    var counts = [Counts](repeating: Counts(), count: digest.steps.count + 1)
    var (undoFailures, otherFailures) = ([FlowEvent](), [FlowEvent]())
    for event in digest.events {
      guard let step = event.step else { continue }
      let place = digest.places[step] ?? digest.steps.count
      switch event.kind {
      case .undoFinished(.successfully) where !event.isRetried: counts[place].undone += 1
      case .undoFinished where !event.isRetried:
        counts[place].notUndone += 1
        undoFailures.append(event)
      case .recovered: counts[place].recovered += 1
      case .leftOut where digest.step(step)?.items != nil: counts[place].isPartial = true
      case .started where event.attempt == 2 && event.source.item != nil: counts[place].retriedItems += 1
      case .finished(let finish) where event.source.item == nil && finish.errorText != nil:
        if event.isRetried || event.isRecovering || event.isPassedOn { continue }
        if step != digest.ending?.failure?.step, digest.step(step)?.state == .failed { otherFailures.append(event) }
      default: continue
      }
    }
    (self.counts, self.undoFailures, self.otherFailures) = (counts, undoFailures, otherFailures)
  }

  package var undoneCount: Int { counts.reduce(0) { $0 + $1.undone } }

  /// Whether there may be more undos than those of which the record has events.
  package var mayHaveMoreUndos: Bool {
    zip(digest.steps, counts).contains { $0.options.contains(.undo) && $1.isPartial }
  }

  private func counts(of step: Int) -> Counts { counts[digest.places[step] ?? digest.steps.count] }

  func hasUndoFailure(_ step: Int) -> Bool { counts(of: step).notUndone > 0 }

  /// Returns the texts about a step's undos, the failed ones first.
  package func undoTexts(of step: Int) -> [String] {
    let counts = counts(of: step)
    return [(counts.notUndone, "undo failed"), (counts.undone, "undone")].filter { $0.0 > 0 }.map { count, text in
      let times = count == 1 ? "once" : "\(count) times"
      return counts.isPartial ? "\(text) at least \(times)" : count == 1 ? text : "\(text) \(times)"
    }
  }

  func texts(of step: Int, isGroup: Bool) -> [String] {
    let counts = counts(of: step)
    let items = ValueText.counts(["tried again": counts.retriedItems, "recovered": isGroup ? counts.recovered : 0])
    return undoTexts(of: step) + items.map { counts.isPartial ? "at least \($0)" : $0 }
      + (counts.recovered > 0 && !isGroup ? ["recovered"] : [])
  }
}

extension FlowEvent {
  /// The error of a failure that it reports, or how else something ended.
  package var errorText: String {
    switch kind {
    case .finished(let finish), .undoFinished(let finish): finish.errorText ?? finish.summaryText
    default: ""
    }
  }
}
