@testable import OperationFlow
import OperationFlowReports

/// Checks that a run performed its undos and its `always` steps, for any flow.
struct ClosingCheck {
  /// The first fault that was found; `nil` if there is none.
  private(set) var complaint: String?

  private struct Work: Hashable, CustomStringConvertible {
    let path: FlowPath?
    let item: Int?
    var description: String { "\(path?.description ?? "") \(item.map(String.init) ?? "")" }

    init(_ event: FlowEvent) { (path, item) = (event.path, event.source.item) }
  }

  init(_ outcome: FlowOutcome, _ flow: Flow) {
    let steps = flow.blueprint.allSteps
    let undoable = Set(steps.filter(\.hasUndo).map(\.path))
    let events = outcome.report.events
    let succeeded = events.filter { event in
      let isSuccess =
        switch event.kind {
        case .finished(.successfully), .recovered: true
        default: false
        }
      return isSuccess && event.path.map(undoable.contains) ?? false
    }.map(Work.init)
    let report = outcome.report
    // A run that fails only in an `always` step is not undone.
    let isTooLate = report.failure?.path != nil && report.failure?.path == report.alwaysFailures.first?.path
    let expected = outcome.isSuccess || isTooLate ? [] : Array(succeeded.reversed())
    let undone = events.filter { $0.kind == .undoStarted && $0.attempt == 1 }.map(Work.init)
    require(undone == expected, "undone are \(undone), and not \(expected)")
    require(
      report.undos.map(\.item) == expected.map(\.item) && report.undos.map(\.path) == expected.map(\.path), "undos")
    let ends = events.filter { if case .undoFinished = $0.kind { !$0.isRetried } else { false } }
    require(ends.map(Work.init) == expected, "the undos that end are \(ends)")
    require(
      ends.map { $0.kind == .undoFinished(.successfully) } == report.undos.map { $0.error == nil }, "\(report.undos)")
    checkAlways(events, steps, report)
  }

  private mutating func checkAlways(_ events: [FlowEvent], _ steps: [FlowBlueprint.Step], _ report: FlowReport) {
    let always = steps.filter { $0.kind == .always }.map(\.path)
    let begun = events.filter { $0.kind == .started && $0.path.map(always.contains) ?? false }
    require(begun.compactMap(\.path) == always, "\(begun.map(\.source)) have run at the end, and not \(always)")
    guard let first = begun.first?.number else { return }
    // No ordinary step starts after the first `always` step.
    let late = events.last { $0.number > first && $0.kind == .started && !$0.isOfClosing }
    require(late == nil, "\(late?.source.description ?? "") starts at the end")
    let lastUndo = events.last { $0.kind == .undoStarted }
    require(lastUndo.map { $0.number < first } ?? true, "an undo comes after the end has begun")
    let failed = report.steps.filter { $0.end == .failed && $0.kind == .always }.count
    require(failed == report.alwaysFailures.count, "\(report.alwaysFailures), and \(failed) have failed")
  }

  private mutating func require(_ holds: Bool, _ text: String) {
    if !holds, complaint == nil { complaint = text }
  }
}
