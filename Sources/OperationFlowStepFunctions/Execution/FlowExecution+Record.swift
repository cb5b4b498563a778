import Foundation
import OperationFlow
import OperationFlowReports

extension FlowExecution {
  /// Returns the record of the execution, like that of a run on this machine: for summaries, timelines and pages.
  ///
  /// The record contains the attempts of steps, items and undos, the bucket's values at the start and at the end, and
  /// what tasks have read and written. Sensitive values, and those that the flow's redaction hides, are shown as
  /// `<redacted>`. A value that was stored elsewhere is shown as its reference, which may change although the value
  /// doesn't. If the execution has failed, the values at its end are those that its tasks have written. The record
  /// doesn't contain the items of distributed maps, which run in executions of their own. Events without a worker are
  /// inferred from the tasks that followed, so a case without tasks has no event. The record numbers the steps itself.
  ///
  /// - Parameter flow: The flow, as it was when it was exported.
  /// - Returns: The record as it is now; it has no ending while the execution is under way.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func record(of flow: Flow) async throws -> FlowRecord {
    try Self.record(of: try await history(), flow: flow)
  }

  /// Returns the record of a history.
  static func record(of history: [StepFunctionsEvent], flow: Flow) throws -> FlowRecord {
    let (blueprint, plan) = (flow.blueprint, flow.plan)
    var steps = HistorySteps(blueprint)
    let pauses = (plan.steps + plan.always).flatMap(\.all).filter { if case .pause = $0.kind { true } else { false } }
    var reader = HistoryEvents(
      history, steps: steps.steps,
      pauses: Dictionary(pauses.map { ($0.id + 1, $0.path.description) }) { first, _ in first },
      values: HistoryValues(plan))
    let events = reader.events()
    let ending = ending(history, events, of: blueprint.name)
    let recorded = steps.after(events, hasEnded: ending != nil, failed: ending?.failure?.step)
    let secret = Set(blueprint.allSteps.filter { $0.inputs.contains { plan.hides($0.name) } }.map(\.path))
    let hidden = Set(recorded.filter { secret.contains($0.path) }.map(\.id))
    let record = FlowRecord(
      flowName: blueprint.name, steps: recorded, events: [],
      itemFailures: Array(reader.itemFailures(hiding: hidden).prefix(1_000)), ending: ending)
    return record.with(events).scrubbing(reader.values.secrets.texts)
  }

  /// Returns the ending of an execution; `nil` if it has not ended.
  private static func ending(
    _ history: [StepFunctionsEvent], _ events: [FlowEvent], of flowName: String
  ) -> FlowRecord.Ending? {
    guard let first = history.first, let last = events.last, case .flowFinished(let finish, _) = last.kind else {
      return nil
    }
    let duration = Duration.clamping(seconds: last.date.timeIntervalSince(first.date)).inMicroseconds
    switch finish {
    case .successfully: return FlowRecord.Ending(result: .succeeded, duration: duration, text: "")
    case .withError(let problem):
      // The error of the execution is the error of the task that failed it.
      let cause = events.last { event in
        if case .finished(.withError(problem)) = event.kind { !event.isRetried } else { false }
      }
      let failure = FlowRecord.Failure(
        name: (cause?.source ?? FlowEvent.Source(flowName)).description, step: cause?.step, item: cause?.source.item,
        attempt: cause?.attempt ?? 1, problem: problem, remedy: nil, isRefusal: false)
      return FlowRecord.Ending(
        result: .failed, duration: duration,
        text: ", " + [failure.name, problem].filter { !$0.isEmpty }.joined(separator: ": "),
        failure: failure)
    default: return FlowRecord.Ending(result: .cancelled, duration: duration, text: "")
    }
  }
}
