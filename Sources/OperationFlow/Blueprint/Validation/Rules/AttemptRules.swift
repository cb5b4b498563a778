/// The values of a retry policy have to make sense.
enum InvalidRetryRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.specialSteps.flatMap { step, options in
      [options.retry, options.undo?.retry].compactMap { $0?.complaint }.map { problem, remedy in
        FlowProblem(severity, .invalidRetry, at: whole.path(of: step), problem + ".", remedy: remedy)
      }
    }
  }
}

/// A time limit has to be longer than zero.
enum InvalidTimeoutRule: ValidationRule {
  static func problems(in whole: ValidationWhole) -> [FlowProblem] {
    whole.specialSteps.flatMap { step, options -> [FlowProblem] in
      let plan = options.attempts ?? AttemptPlan()
      let times = [plan.timeout, plan.totalTimeout, options.undo?.timeout].compactMap(\.self)
      var problems = times.filter { $0 <= .zero }.map { time in
        FlowProblem(
          severity, .invalidTimeout, at: whole.path(of: step), "the step may take \(time).",
          remedy: "Give .timeout more than zero, or leave it out.")
      }
      if let patience = plan.abandonsAfter, patience < .zero {
        problems.append(
          FlowProblem(
            severity, .invalidTimeout, at: whole.path(of: step),
            "work that has timed out is abandoned after \(patience).",
            remedy: "Give abandoningAfter zero or more, or leave it out to wait for the work."))
      }
      return problems
    }
  }
}
