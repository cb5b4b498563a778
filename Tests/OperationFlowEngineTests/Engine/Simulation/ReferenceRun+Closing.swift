@testable import OperationFlow

/// The model's work after the end of its run is decided: undos, then flows that always run.
struct ReferenceClosing: Sendable {
  enum Part: Sendable, Hashable { case undo(RunWork), always(Int) }

  /// The undos of finished work, in the order in which the work finished.
  var done: [RunWork] = []
  /// The undos of work that was cut off, and may have had an effect.
  var cutOff: Set<RunWork> = []
  /// The paths that run at the end, in reverse order.
  var waiting: [Int] = []
  /// The undo or the path that is running.
  private(set) var part: Part?

  mutating func next(hasSucceeded: Bool) -> Part? {
    done += cutOff.sorted { ($0.step ?? 0, $0.item ?? 0) < ($1.step ?? 0, $1.item ?? 0) }
    cutOff = []
    if case .always = part { done = [] }
    if hasSucceeded { done = [] }
    part = done.popLast().map { .undo($0) } ?? waiting.popLast().map { .always($0) }
    return part
  }
}

// The ends of steps that contain others, and the work after the end of the run is decided.
extension ReferenceRun {
  /// A step that was open when it was cut off, and the claims that must settle before the step ends.
  struct CutOffStep: Sendable {
    let step: Int
    var awaited: Set<Int>
  }

  /// The steps that have started and not ended, and that no claim ends.
  var openSteps: [Int] { openHolders + waitingSteps }

  /// The steps that wait for their next attempt.
  private var waitingSteps: [Int] {
    (retries + delays.values).compactMap { $0.work.attemptedWork.kind == .step ? $0.work.step : nil }
  }

  /// Returns true if a claim must settle before an open step can end.
  func isAwaited(_ claim: Claim, by step: Int) -> Bool {
    guard !claim.hasSettled, let inner = claim.work.step else { return false }
    return inner == step || paths.isStep(inner, within: step)
  }

  /// Cuts off all open steps.
  mutating func cutOffOpenSteps() {
    cutOffSteps = openSteps.map { step in
      CutOffStep(step: step, awaited: Set(claims.indices.filter { isAwaited(claims[$0], by: step) }))
    }
    openHolders = []
  }

  /// Ends the steps that were cut off and in which no work is running.
  mutating func closeCutOff() -> ReferenceEffects {
    let isOver = { [claims] (cutOff: CutOffStep) in cutOff.awaited.allSatisfy { claims[$0].hasSettled } }
    let closed = cutOffSteps.filter(isOver).map(\.step)
    cutOffSteps.removeAll(where: isOver)
    return ReferenceEffects(closed: closed)
  }

  /// Ends the cases on a path whose branch is at its end.
  mutating func combineCases(on path: Int) {
    let ended = openHolders.filter { step in
      guard let known = paths[step], known.isCases else { return false }
      return known.path == path && known.doneAt <= strands[path].place
    }
    openHolders.removeAll { ended.contains($0) }
    combined += ended
  }

  /// Returns and removes the cases that have ended with the current input.
  mutating func takeCombined() -> ReferenceEffects {
    defer { combined = [] }
    return ReferenceEffects(combined: combined)
  }

  /// True if a pause delays the users' work.
  var holdsUserWork: Bool { isPaused && closing.part == nil }

  /// Adds work that has ended for good to the cleanup, if the work may have to be undone.
  mutating func addToCleanup(_ work: RunWork, isSuccess: Bool, isCutOff: Bool) {
    guard closing.part == nil, let step = work.step, let undo = paths[step]?.undo, work.attemptedWork.isAttempt,
      isSuccess || undo.isForUncertain
    else { return }
    let undoing = RunWork(.undo, of: step, item: work.item)
    if isSuccess || !isCutOff { closing.done.append(undoing) } else { closing.cutOff.insert(undoing) }
  }
}
