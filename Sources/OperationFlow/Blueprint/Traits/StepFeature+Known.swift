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

  package var obstacles: [StepObstacle] {
    var found: [StepObstacle] = []
    if totalTimeout != nil {
      found.append(
        StepObstacle(
          "its attempts share a time limit.",
          remedy: "Give .timeout the scope .eachAttempt, or the flow a deadline(_:)."))
    }
    if recovers {
      found.append(StepObstacle("it recovers from failures.", remedy: "Catch the error in the step's own work."))
    }
    return found
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

  package var obstacles: [StepObstacle] {
    [
      StepObstacle(
        "it needs permits of a limiter, which counts in one process.",
        remedy: "Limit a group by its width, or by the workers.")
    ]
  }
}

extension ResultPlan: StepFeature {
  package var obstacles: [StepObstacle] {
    var found: [StepObstacle] = []
    if kept != nil {
      found.append(
        StepObstacle(
          "it keeps the result of each item.",
          remedy: "Leave out .results(in:): failures are in the execution's output."))
    }
    if handsOn {
      found.append(
        StepObstacle("it hands on results to this process.", remedy: "Let a later step use the group's output."))
    }
    return found
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
