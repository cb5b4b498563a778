// What the traits answer whose values have places of their own, because the state machine knows them.
extension SpecialOptions {
  /// What diagrams show of the traits.
  var marks: StepMarks {
    var marks: StepMarks = []
    if let attempts, attempts.count > 1 { marks.insert(.retry) }
    if let attempts, attempts.isTimed { marks.insert(.timeout) }
    if undo != nil { marks.insert(.undo) }
    if !conditions.isEmpty { marks.insert(.condition) }
    for feature in features { marks.formUnion(feature.marks) }
    return marks
  }

  /// What is wrong with the values of the traits, whatever the data.
  var mistakes: [StepMistake] {
    var found: [StepMistake] = []
    for error in limits?.limiters.flatMap(\.errors) ?? [] {
      found.append(StepMistake(error.code, error.problem, remedy: error.remedy))
    }
    for case let (problem, remedy)? in [retry?.complaint, undo?.retry?.complaint] {
      found.append(StepMistake(.invalidRetry, problem, remedy: remedy))
    }
    for case let time? in [attempts?.timeout, attempts?.totalTimeout, undo?.timeout] where time <= .zero {
      found.append(
        StepMistake(
          .invalidTimeout, "the step may take \(time)", remedy: "Give .timeout more than zero, or leave it out."))
    }
    if let time = attempts?.abandonsAfter, time < .zero {
      found.append(
        StepMistake(
          .invalidTimeout, "work that has timed out is abandoned after \(time)",
          remedy: "Give abandoningAfter zero or more, or leave it out to wait for the work."))
    }
    return found + features.flatMap(\.mistakes)
  }
}
