extension Flow {
  /// Finds the problems on every path of the flow before it runs, each with its place and how to fix it.
  ///
  /// It relies on what steps declare. A step that declares no output may write anything, so after it, missing or mistyped
  /// data isn't reported; one that declares outputs should declare everything that it writes. It makes one operation with
  /// each factory, and discards it. ``start(with:)`` and ``run(with:)`` refuse a flow with errors; warnings stop nothing.
  ///
  /// - Parameter data: Values that the run's bucket starts with; they override those that the flow was given.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  public func validate(with data: [String: any Sendable] = [:]) -> [FlowProblem] {
    validate(with: startingData.merging(data))
  }

  /// Finds what is wrong with the flow before it runs with typed data, as ``validate(with:)`` does.
  ///
  /// - Parameter change: Changes the values that the run's bucket starts with, which are those that the flow was given.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  /// - Throws: The error that `change` throws.
  public func validate(_ change: (inout FlowData) throws -> Void) rethrows -> [FlowProblem] {
    validate(with: try startingData.changed(by: change))
  }

  private func validate(with data: FlowData) -> [FlowProblem] {
    let launch = makeLaunch(makesAll: true)
    let secrets = data.secrets(launch.settings.redaction, also: launch.facts.sensitiveNames)
    return (launch.settings.limits.problems + launch.problems(by: launch.facts, data, errorsOnly: false))
      .map { $0.scrubbing(secrets) }
  }
}
