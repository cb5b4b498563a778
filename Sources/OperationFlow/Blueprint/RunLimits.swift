/// What limits a run as a whole, and what its chance is.
package struct RunLimits: Sendable {
  package var deadline: Duration?
  /// How long nothing may happen before a warning; `nil` for any time.
  var quietTime: Duration?
  package var retryBudget = FlowRetryBudget.unlimited
  /// What the random parts of delays are made from; `nil` for another seed in each run.
  var seed: UInt64?

  package init() {}

  var areNone: Bool { deadline == nil && quietTime == nil && retryBudget == .unlimited && seed == nil }

  var problems: [FlowProblem] {
    if areNone { return [] }
    var errors = [retryBudget.error]
    if let time = deadline, time <= .zero {
      errors.append(.invalidTimeout("the run may take \(time)", "Give deadline(_:) more than zero."))
    }
    if let time = quietTime, time <= .zero {
      let problem = "a warning comes if nothing happens for \(time)"
      errors.append(.invalidTimeout(problem, "Give quietWarning(after:) more than zero."))
    }
    return errors.compactMap { $0.map { FlowProblem($0) } }
  }
}
