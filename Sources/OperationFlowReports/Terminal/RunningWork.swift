import Foundation
import OperationFlow

/// The running steps and groups of a run, found in its events; their memory doesn't grow with the number of items.
struct RunningWork: Sendable {
  /// A group whose items are at work.
  struct Group: Sendable {
    let name: String
    /// The number of items; `nil` if it isn't known.
    var total: Int?
    let since: Date
    var runningCount = 0
    var doneCount = 0
    var failedCount = 0
    /// The number of items that had ended before the run was resumed.
    var earlierCount = 0
  }

  /// A step that isn't a group.
  struct Step: Sendable {
    let name: String
    let since: Date
    var attempt: Int
    /// The name of the inner step that this step reported last, such as the step of a progression.
    var progress: String?
  }

  /// The running groups, by the numbers of their steps.
  private(set) var groups: [Int: Group] = [:]
  /// The running steps, by their numbers.
  private(set) var steps: [Int: Step] = [:]
  /// The number of steps that have ended, including groups.
  private(set) var endedCount = 0
  private(set) var start: Date?
  private(set) var isPaused = false
  /// The finish of the run; `nil` while the run is under way.
  private(set) var ending: FlowEvent.Finish?

  mutating func add(_ event: FlowEvent) {
    switch event.kind {
    case .flowStarted: start = event.time
    case .flowFinished(let finish, _): (ending, groups, steps) = (finish, [:], [:])
    case .paused: isPaused = true
    case .resumed: isPaused = false
    default:
      guard let step = event.step else { return }
      if event.source.item == nil { addStepEvent(event, step) } else { addItemEvent(event, step) }
    }
  }

  private mutating func addStepEvent(_ event: FlowEvent, _ step: Int) {
    switch event.kind {
    case .groupCreated(let count): groups[step] = Group(name: event.source.name, total: count, since: event.time)
    case .groupStarted: groups[step] = Group(name: event.source.name, total: nil, since: event.time)
    case .groupFinished:
      groups[step] = nil
      endedCount += 1
    case .started, .undoStarted:
      let name = event.kind == .started ? event.source.name : "undo \(event.source.name)"
      steps[step] = Step(name: name, since: event.time, attempt: event.attempt)
    case .progressed(let reached): steps[step]?.progress = reached
    // A late subscriber receives the record's events, without those that were left out. Items of an earlier process
    // have no events, so their count of events is 0.
    case .leftOut(let events, let items): groups[step]?.leaveOut(items, areEarlier: events == 0)
    case .finished, .recovered, .undoFinished:
      // A step that waits for its next attempt is still under way.
      if event.isRetried { return }
      if steps.removeValue(forKey: step) != nil || groups.removeValue(forKey: step) != nil { endedCount += 1 }
    default: return
    }
  }

  private mutating func addItemEvent(_ event: FlowEvent, _ step: Int) {
    switch event.kind {
    case .started: if event.attempt == 1 { groups[step]?.runningCount += 1 }
    case .finished(let finish):
      if event.isRetried { return }
      groups[step]?.end(isFailure: finish != .successfully)
    case .recovered: groups[step]?.end(isFailure: false)
    default: return
    }
  }
}

extension RunningWork.Group {
  fileprivate mutating func leaveOut(_ items: Int, areEarlier: Bool) {
    doneCount += items
    if areEarlier { earlierCount += items } else { runningCount = max(0, runningCount - items) }
  }

  fileprivate mutating func end(isFailure: Bool) {
    runningCount = max(0, runningCount - 1)
    doneCount += 1
    if isFailure { failedCount += 1 }
  }
}
