/// The consequences of failures, by step: undos, recoveries, and items that were tried again; a fold over a run's
/// events.
package struct RunAftermath: Sendable {
  /// The number of pieces of a step's work that were undone.
  private var undone: [Int: Int] = [:]
  /// The number of pieces of a step's work that could not be undone.
  package private(set) var notUndone: [Int: Int] = [:]
  /// The undos that failed after a failure or a cancellation.
  package private(set) var undoFailures: [FlowEvent] = []
  /// What failed beside the step that the run failed with, such as steps that always run.
  private(set) var otherFailures: [FlowEvent] = []
  /// How many of a group's items were tried again.
  private var retriedItems: [Int: Int] = [:]
  private var recovered: [Int: Int] = [:]

  package init(_ digest: RunDigest) {
    for event in digest.events {
      guard let step = event.step else { continue }
      switch event.kind {
      case .undoFinished(.successfully) where !event.isRetried: undone[step, default: 0] += 1
      case .undoFinished where !event.isRetried:
        notUndone[step, default: 0] += 1
        undoFailures.append(event)
      case .recovered: recovered[step, default: 0] += 1
      case .finished where event.isRetried && event.attempt == 1 && event.source.item != nil:
        retriedItems[step, default: 0] += 1
      case .finished(let finish) where event.source.item == nil && !event.isRetried && !event.isPassedOn:
        guard step != digest.ending?.failure?.step, digest.step(step)?.state == .failed, finish.errorText != nil
        else { continue }
        otherFailures.append(event)
      default: continue
      }
    }
  }

  /// The number of all pieces of work that were undone.
  package var undoneCount: Int { undone.values.reduce(0, +) }

  /// Returns the texts about a step's undos, the failed ones first.
  package func undoTexts(of step: Int) -> [String] {
    [(notUndone[step], "undo failed"), (undone[step], "undone")].compactMap { count, text in
      count.map { $0 == 1 ? text : "\(text) \($0) times" }
    }
  }

  /// What to say of a step about everything that followed its failures.
  func texts(of step: Int, isGroup: Bool) -> [String] {
    var texts = undoTexts(of: step)
    if let count = retriedItems[step] { texts.append("\(count) tried again") }
    if let count = recovered[step] { texts.append(isGroup ? "\(count) recovered" : "recovered") }
    return texts
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
