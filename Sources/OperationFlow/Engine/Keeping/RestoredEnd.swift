import Foundation

/// The facts of a run that has ended in another process, as far as they were kept.
package struct RestoredEnd {
  /// A step, or an item of a group.
  package struct Place {
    package let name: String
    package let step: Int?
    package let item: Int?
    package let attempt: Int

    package init(name: String, step: Int?, item: Int?, attempt: Int) {
      (self.name, self.step, self.item, self.attempt) = (name, step, item, attempt)
    }
  }

  private let flowName: String
  /// The steps; `nil` if the flow doesn't have the shape that it had.
  private let table: StepTable?
  private(set) var facts = RunFacts()
  private(set) var itemFailures: [FlowItemFailure] = []

  init(flowName: String, table: StepTable?) { (self.flowName, self.table) = (flowName, table) }

  private func path(_ place: Place) -> FlowPath? { place.step.flatMap { table?.paths.path(of: $0) } }

  package mutating func ended(at date: Date) { facts.end(at: date) }

  package mutating func failed(_ error: any Error, at place: Place?, after duration: Duration) {
    facts.decide(
      .failed(
        FlowReport.Failure(
          name: place?.name ?? FlowEvent.Source(flowName).description, path: place.flatMap(path), item: place?.item,
          attempt: place?.attempt ?? 1, duration: duration, error: error, isRefusal: false,
          step: table == nil ? nil : place?.step)))
  }

  /// The run was cancelled: by a step if there is a place.
  package mutating func cancelled(_ cause: FlowReport.Cancellation, by place: Place?) {
    let step = place.map { FlowReport.Cancellation.step(name: $0.name, path: path($0), item: $0.item) }
    facts.decide(.cancelled(step ?? cause))
  }

  package mutating func recovered(_ error: any Error, at place: Place) {
    facts.note(
      FlowReport.Recovery(
        name: place.name, path: path(place), item: place.item, attempts: place.attempt, error: error))
  }

  package mutating func undone(_ error: (any Error)?, at place: Place) {
    facts.note(
      FlowReport.Undo(name: place.name, path: path(place), item: place.item, attempts: place.attempt, error: error))
  }

  package mutating func failedAlways(_ error: any Error, at place: Place) {
    facts.note(
      FlowReport.AlwaysFailure(
        name: place.name, path: path(place), item: place.item, error: error, step: place.step ?? 0))
  }

  /// An item has failed; `input` is `nil` if it could not be kept.
  package mutating func failedItem(_ error: any Error, at place: Place, input: (any Sendable)?) {
    itemFailures.append(
      FlowItemFailure(
        name: place.name, index: place.item ?? 0, input: input ?? "", error: error, path: path(place),
        attempt: place.attempt, isInputSensitive: input == nil))
  }
}

extension Launch {
  /// Makes the report of a run that has ended in another process, of whose steps nothing is known.
  ///
  /// It hides the values that are given again, and those that were kept: others are no longer known.
  package func report(
    _ data: FlowData, keepsPaths: Bool, duration: Duration, stepCount: Int, _ values: [String: any Sendable],
    hiding hiddenNames: [String], _ fill: (inout RestoredEnd) -> Void
  ) -> FlowReport {
    var log = recorder.log.emptied(hiding: data.sensitiveNames.union(sensitiveNames), of: data.values)
    for name in hiddenNames { log.hide(name) }
    var end = RestoredEnd(flowName: flowName, table: keepsPaths ? facts.table : nil)
    fill(&end)
    return FlowReport(
      flowName: flowName, duration: duration, stepCount: stepCount, itemFailures: end.itemFailures, data: values,
      log: log, facts: end.facts
    ).hidingSecrets
  }
}
