// What the traits answer whose values have places of their own, because the state machine knows them.

extension FlowRetryPolicy: StepFeature {
  package var mistakes: [StepMistake] { complaint.map { [StepMistake(.invalidRetry, $0, remedy: $1)] } ?? [] }
}

extension AttemptPlan: StepFeature {
  package var marks: StepMarks { StepMarks(count > 1 ? [.retry] : []).union(isTimed ? [.timeout] : []) }

  package var mistakes: [StepMistake] {
    let times = [timeout, totalTimeout].compactMap(\.self).compactMap(StepMistake.init(time:))
    guard let abandonsAfter, abandonsAfter < .zero else { return times }
    return times + [
      StepMistake(
        .invalidTimeout, "work that has timed out is abandoned after \(abandonsAfter)",
        remedy: "Give abandoningAfter zero or more, or leave it out to wait for the work.")
    ]
  }
}

extension UndoPlan: StepFeature {
  package var marks: StepMarks { .undo }
  package var mistakes: [StepMistake] {
    (retry?.mistakes ?? []) + (timeout.flatMap(StepMistake.init(time:)).map { [$0] } ?? [])
  }
}

extension StepCondition: StepFeature {
  package var marks: StepMarks { .condition }
}

extension StepLimits: StepFeature {
  package var mistakes: [StepMistake] {
    limiters.flatMap(\.errors).map { StepMistake($0.code, $0.problem, remedy: $0.remedy) }
  }
}

extension StepMistake {
  /// A time limit that isn't longer than zero; `nil` if it is.
  fileprivate init?(time: Duration) {
    guard time <= .zero else { return nil }
    self.init(
      .invalidTimeout, "the step may take \(time)", remedy: "Give .timeout more than zero, or leave it out.")
  }
}
