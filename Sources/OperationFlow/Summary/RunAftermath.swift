/// The consequences of failures, by step: undos, recoveries, and items that were tried again; a fold over a run's
/// events.
package struct RunAftermath: Sendable {
  /// An undo that failed after a failure or a cancellation.
  package struct UndoFailure: Sendable {
    /// The name of the step or item, such as `[words #3]`.
    package let name: String
    /// The number of the step.
    package let step: Int
    /// The index of the group's item; `nil` outside groups.
    package let item: Int?
    /// The number of the last attempt, counted from 1.
    package let attempt: Int
    package let error: String
  }

  /// The number of pieces of a step's work that were undone.
  package private(set) var undone: [Int: Int] = [:]
  /// The undos that failed.
  package private(set) var undoFailures: [UndoFailure] = []
  /// The number of pieces of a step's work that could not be undone.
  package private(set) var notUndone: [Int: Int] = [:]
  /// What failed beside the step that the run failed with, such as steps that always run, with its error.
  private(set) var otherFailures: [(name: String, error: String)] = []
  /// How many of a group's items were tried again.
  private var retriedItems: [Int: Int] = [:]
  private var recovered: [Int: Int] = [:]

  package init(_ digest: RunDigest) {
    for event in digest.events {
      guard let step = event.step else { continue }
      switch event.kind {
      case .undoFinished(let finish) where !event.isRetried: add(finish, event, step)
      case .recovered: recovered[step, default: 0] += 1
      case .finished where event.isRetried && event.attempt == 1 && event.source.item != nil:
        retriedItems[step, default: 0] += 1
      case .finished(let finish) where event.source.item == nil && !event.isRetried && !event.isPassedOn:
        guard step != digest.ending?.failure?.step, digest.step(step)?.state == .failed, let error = finish.errorText
        else { continue }
        otherFailures.append((event.source.description, error))
      default: continue
      }
    }
  }

  private mutating func add(_ finish: FlowEvent.Finish, _ event: FlowEvent, _ step: Int) {
    guard finish != .successfully else { return undone[step, default: 0] += 1 }
    notUndone[step, default: 0] += 1
    undoFailures.append(
      UndoFailure(
        name: event.source.description, step: step, item: event.source.item, attempt: event.attempt,
        error: finish.errorText ?? finish.summaryText))
  }

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
