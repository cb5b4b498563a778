@testable import OperationFlow

/// What the model does once the end of its run is decided.
struct ReferenceClosing: Sendable {
  enum Part: Sendable, Hashable { case undo(RunWork), always(Int) }

  /// What has succeeded and can be undone, in that order.
  var done: [RunWork] = []
  /// The paths that run at the end, the next one last.
  var waiting: [Int] = []
  /// What is being done.
  private(set) var part: Part?
  /// The steps that have begun and not ended in what runs at the end.
  var openSteps: [Int] = []

  mutating func next(hasSucceeded: Bool) -> Part? {
    if case .always = part { done = [] }
    if hasSucceeded { done = [] }
    part = done.popLast().map { .undo($0) } ?? waiting.popLast().map { .always($0) }
    return part
  }
}

extension ReferenceRun {
  /// Whether a pause holds up the users' work.
  var isHeldUp: Bool { isPaused && closing.part == nil }

  /// Notes that work has succeeded for good, which may have to be undone.
  mutating func noteSuccess(of work: RunWork) {
    guard closing.part == nil, let step = work.stepID, paths[step]?.undo != nil else { return }
    switch work.attemptedWork {
    case .step: closing.done.append(.undo(step, index: RunWork.noItem))
    case .item(_, let index): closing.done.append(.undo(step, index: index))
    default: break
    }
  }
}
