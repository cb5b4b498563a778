import Foundation
import OperationFlow
import OperationFlowReports

/// Translates an execution's history into the library's events.
struct HistoryEvents {
  let names: [String: (id: Int, name: String)]
  private let history: [StepFunctionsEvent]
  let attempts: [HistoryAttempt]
  /// The steps and branches of the flow, by their numbers.
  let steps: [FlowRecord.Step]
  /// The paths of the steps that only wait, by the numbers that begin the names of their states.
  private let pauses: [Int: String]
  var values: HistoryValues
  private var recorded: [FlowEvent] = []
  /// The steps and branches in which something has begun.
  var entered: Set<Int> = []

  /// Reads a history; `steps` are the flow's steps.
  init(
    _ history: [StepFunctionsEvent], steps: [FlowRecord.Step], pauses: [Int: String] = [:], values: HistoryValues
  ) {
    (self.history, self.steps, self.pauses, self.values) = (history, steps, pauses, values)
    attempts = HistoryAttempt.all(in: history)
    names = Dictionary(steps.map { ($0.path.description, ($0.id, $0.name)) }) { first, _ in first }
  }

  /// Returns the events in their order.
  mutating func events() -> [FlowEvent] {
    recorded = []
    let starts = byEvent(\.start)
    let ends = byEvent(\.end)
    let last = lastAttempts()
    let groups = groups()
    var begunGroups: Set<Int> = []
    for event in history {
      if let attempt = starts[event.id], let step = names[attempt.work.step] {
        enter(step.id, attempt, at: event)
        if attempt.work.isItem, begunGroups.insert(step.id).inserted {
          add(event, .groupCreated(count: groups[step.id]?.items.count ?? 0), step)
        }
        begin(attempt, step, at: event)
      }
      if let attempt = ends[event.id], let step = names[attempt.work.step] {
        // A task that timed out before any worker began it has no event of its start.
        if attempt.start == nil {
          enter(step.id, attempt, at: event)
          begin(attempt, step, at: event)
        }
        write(attempt, step.id, at: event)
        finish(attempt, step, attempt.finish, at: event, isLast: last[attempt.work] == attempt.number)
        if let group = groups[step.id], group.end == event.id {
          collect(attempt, step.id, at: event)
          add(event, .groupFinished(outputCount: group.succeeded), step)
        }
      }
      if event.type == "MapStateExited" { leaveMap(at: event) }
      if !pauses.isEmpty { addPause(event) }
      addRun(event)
    }
    return recorded
  }

  /// Returns the items that failed for good; the inputs of items of the steps in `hidden` are redacted.
  func itemFailures(hiding hidden: Set<Int>) -> [FlowRecord.ItemFailure] {
    let last = lastAttempts()
    return attempts.compactMap { attempt in
      guard attempt.work.isItem, let index = attempt.work.index, let step = names[attempt.work.step],
        case .withError(let error)? = attempt.finish, last[attempt.work] == attempt.number
      else { return nil }
      return FlowRecord.ItemFailure(
        name: "[\(step.name) \(index.itemNumber)]", step: step.id, index: index,
        input: hidden.contains(step.id) ? "<redacted>" : ValueText.cut(attempt.item ?? ""), error: error,
        attempt: attempt.number)
    }
  }

  /// Adds the event if a step that only waits has begun or ended.
  private mutating func addPause(_ event: StepFunctionsEvent) {
    struct Details: Decodable { let name: String }
    let isEntered = event.type == "WaitStateEntered"
    guard isEntered || event.type == "WaitStateExited",
      let name = try? JSONDecoder().decode(Details.self, from: event.details).name,
      let path = Int(name.prefix { $0.isNumber }).flatMap({ pauses[$0] }), let step = names[path]
    else { return }
    add(event, isEntered ? .started : .finished(.successfully), step)
  }

  /// Adds the event if the execution itself has started or ended.
  private mutating func addRun(_ event: StepFunctionsEvent) {
    switch event.type {
    case "ExecutionStarted":
      values.begin(event)
      record(event, .flowStarted(values.items), FlowEvent.Source("DataBucket"))
    case "ExecutionSucceeded": end(event, .successfully)
    case "ExecutionAborted": end(event, .cancelled)
    case "ExecutionFailed", "ExecutionTimedOut": end(event, .withError(HistoryFailure(event).text))
    default: break
    }
  }

  /// Adds the end of the execution, after cancelling the attempts that were running.
  private mutating func end(_ event: StepFunctionsEvent, _ end: FlowEvent.Finish) {
    for attempt in attempts where attempt.start != nil && attempt.end == nil {
      if let step = names[attempt.work.step] { finish(attempt, step, .cancelled, at: event, isLast: true) }
    }
    values.end(event)
    record(event, .flowFinished(end, values.items), FlowEvent.Source("DataBucket"))
  }

  private mutating func begin(_ attempt: HistoryAttempt, _ step: (id: Int, name: String), at event: StepFunctionsEvent)
  {
    switch attempt.work.kind {
    case .work: add(event, .started, step, attempt)
    case .undo: add(event, .undoStarted, step, attempt)
    case .decision: break
    }
  }

  private mutating func finish(
    _ attempt: HistoryAttempt, _ step: (id: Int, name: String), _ finish: FlowEvent.Finish?,
    at event: StepFunctionsEvent,
    isLast: Bool
  ) {
    guard let finish else { return }
    if attempt.work.kind == .decision, finish == .successfully {
      if let problem = attempt.notedFailure {
        return add(event, .finished(.withError(problem)), step, attempt)
      }
      if attempt.work.mode == "condition", attempt.answeredFalse { add(event, .skipped(held: ""), step) }
      return
    }
    let kind: FlowEvent.Kind = attempt.work.kind == .undo ? .undoFinished(finish) : .finished(finish)
    add(event, kind, step, attempt, isRetried: !isLast && finish != .cancelled)
  }

  private mutating func add(
    _ event: StepFunctionsEvent, _ kind: FlowEvent.Kind, _ step: (id: Int, name: String),
    _ attempt: HistoryAttempt? = nil, isRetried: Bool = false
  ) {
    let source = FlowEvent.Source(
      step.name, step: step.id, item: attempt?.work.index, attempt: attempt?.number ?? 1)
    record(event, kind, isRetried ? source.failing(.retried) : source)
  }

  /// Records an event at the time of an event of the history, to the microsecond, as saved records have it.
  mutating func record(_ event: StepFunctionsEvent, _ kind: FlowEvent.Kind, _ source: FlowEvent.Source) {
    let date = Date(microseconds: event.date.microseconds)
    recorded.append(FlowEvent(date: date, source: source, kind: kind, number: recorded.count, path: nil))
  }

  // MARK: Lookups

  private func byEvent(_ path: KeyPath<HistoryAttempt, StepFunctionsEvent?>) -> [Int: HistoryAttempt] {
    Dictionary(attempts.compactMap { attempt in attempt[keyPath: path].map { ($0.id, attempt) } }) { first, _ in first }
  }

  /// Returns the number of the last attempt of each piece of work.
  private func lastAttempts() -> [HistoryAttempt.Work: Int] {
    Dictionary(attempts.map { ($0.work, $0.number) }) { max($0, $1) }
  }

  /// The items of a group, and its end.
  private struct Group {
    /// The items that were scheduled, by their index: true for those that succeeded.
    var items: [Int: Bool] = [:]
    /// The number of the event with which the group ended; `nil` if it has not ended, or has failed.
    var end: Int?

    var succeeded: Int { items.values.count { $0 } }
  }

  /// Returns the groups by the numbers of their steps.
  private func groups() -> [Int: Group] {
    var groups: [Int: Group] = [:]
    for attempt in attempts {
      guard let step = names[attempt.work.step] else { continue }
      if attempt.work.isItem, let index = attempt.work.index {
        groups[step.id, default: Group()].items[index] = attempt.finish == .successfully
      }
    }
    let lastMap = history.last { $0.type == "MapStateSucceeded" }?.id ?? 0
    for attempt in attempts {
      guard let step = names[attempt.work.step], let group = groups[step.id], let end = attempt.end?.id else {
        continue
      }
      // A task counts the failures that are tolerated. Without such a task, all items have to succeed.
      let isCounted =
        attempt.work.mode == "settle" && attempt.finish == .successfully && attempt.notedFailure == nil
      let isComplete = attempt.work.isItem && group.succeeded == group.items.count && end < lastMap
      if isCounted || isComplete { groups[step.id]?.end = max(group.end ?? 0, end) }
    }
    return groups
  }
}

extension HistoryAttempt.Work {
  enum Kind { case work, undo, decision }

  /// The kind of the work in a run: only work and undos have events of their own.
  var kind: Kind {
    switch mode {
    case "undo", "undoItem": .undo
    case "condition", "settle", "join": .decision
    default: .work
    }
  }

  var isItem: Bool { kind == .work && index != nil }
}
