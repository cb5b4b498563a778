// What the report of a run is made of that has ended in another process: only what was kept is known of it.

extension Launch {
  /// Makes the report of such a run, of whose steps nothing is known.
  ///
  /// It hides the values that are given again, and those that were kept: others are no longer known.
  package func report(
    _ data: FlowData, _ facts: RunFacts, duration: Duration, stepCount: Int, itemFailures: [FlowItemFailure],
    _ values: [String: any Sendable], hiding hiddenNames: [String]
  ) -> FlowReport {
    let hidden = data.sensitiveNames.union(sensitiveNames).union(hiddenNames)
    let log = recorder.log.emptied(hiding: hidden, of: data.values)
    return FlowReport(
      FlowReport.Contents(
        flowName: flowName, duration: duration, stepCount: stepCount, itemFailures: itemFailures,
        values: FlowData(values: values).entries, log: log, facts: facts)
    ).hidingSecrets
  }
}

extension FlowItemFailure {
  /// An item has failed; `input` is `nil` if it could not be kept.
  package init(
    _ name: String, _ path: FlowPath?, _ index: Int, attempt: Int, _ error: any Error, input: (any Sendable)?
  ) {
    self.init(
      name: name, index: index, input: input ?? "", error: error, path: path, attempt: attempt,
      isInputSensitive: input == nil)
  }
}
