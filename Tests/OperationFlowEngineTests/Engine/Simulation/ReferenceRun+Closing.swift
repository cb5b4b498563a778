@testable import OperationFlow

/// What the model does once the end of its run is decided.
struct ReferenceClosing: Sendable {
  enum Part: Sendable, Hashable { case undo(RunWork), always(Int) }

  /// What has succeeded and can be undone, in that order.
  var done: [RunWork] = []
  /// The work that was cut off, and may have had an effect that is to be undone.
  var cutOff: Set<RunWork> = []
  /// The paths that run at the end, the next one last.
  var waiting: [Int] = []
  /// What is being done.
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

// The ends of steps with others in them, and what follows the decision of the end.
extension ReferenceRun {
  /// A step that was open when it was cut off, and the claims that have to settle before it ends.
  struct CutOffStep: Sendable {
    let step: Int
    var awaited: Set<Int>
  }

  /// The steps that have begun and not ended, and that no claim ends.
  var openSteps: [Int] { openHolders + waitingSteps }

  /// The steps that wait for their next attempt.
  private var waitingSteps: [Int] {
    (retries + delays.values).compactMap { $0.work.attemptedWork.kind == .step ? $0.work.step : nil }
  }

  /// Whether a claim has to settle before an open step can end.
  func isAwaited(_ claim: Claim, by step: Int) -> Bool {
    guard !claim.hasSettled, let inner = claim.work.step else { return false }
    return inner == step || paths.isStep(inner, within: step)
  }

  /// Cuts off what is open.
  mutating func cutOffOpenSteps() {
    cutOffSteps = openSteps.map { step in
      CutOffStep(step: step, awaited: Set(claims.indices.filter { isAwaited(claims[$0], by: step) }))
    }
    openHolders = []
  }

  /// The steps that were cut off and in which nothing is at work any more end.
  mutating func closeCutOff() -> ReferenceEffects {
    let isOver = { [claims] (cutOff: CutOffStep) in cutOff.awaited.allSatisfy { claims[$0].hasSettled } }
    let closed = cutOffSteps.filter(isOver).map(\.step)
    cutOffSteps.removeAll(where: isOver)
    return ReferenceEffects(closed: closed)
  }

  /// The cases on a path whose branch is at its end have ended.
  mutating func combineCases(on path: Int) {
    let ended = openHolders.filter { step in
      guard let known = paths[step], known.isCases else { return false }
      return known.path == path && known.doneAt <= strands[path].place
    }
    openHolders.removeAll { ended.contains($0) }
    combined += ended
  }

  /// The cases that have ended with an input.
  mutating func takeCombined() -> ReferenceEffects {
    defer { combined = [] }
    return ReferenceEffects(combined: combined)
  }

  /// Whether a pause holds up the users' work.
  var holdsUserWork: Bool { isPaused && closing.part == nil }

  /// Notes that work has ended for good, which may have to be undone.
  mutating func noteEffect(of work: RunWork, isSuccess: Bool, isCutOff: Bool) {
    guard closing.part == nil, let step = work.step, let undo = paths[step]?.undo, work.attemptedWork.isAttempt,
      isSuccess || undo.isForUncertain
    else { return }
    let undoing = RunWork(.undo, of: step, item: work.item)
    if isSuccess || !isCutOff { closing.done.append(undoing) } else { closing.cutOff.insert(undoing) }
  }
}
