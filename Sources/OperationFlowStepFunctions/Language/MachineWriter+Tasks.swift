import OperationFlow

// Tasks, which workers perform.
extension MachineWriter {
  /// The part of the data that a task gets.
  enum Bucket {
    case whole
    case keys([String])
    /// The values that the map has selected for its item.
    case selected
  }

  /// Returns a state that sends a task to a worker.
  func task(
    _ step: FlowPlan.Step, _ mode: FlowTask.Mode, _ bucket: Bucket, _ more: [String: LanguageJSON] = [:],
    resultPath: LanguageJSON? = nil, timeout: Duration? = nil, retry: FlowPlan.Retry? = nil
  ) -> StateList.State {
    var parameters: [String: LanguageJSON] = [
      "flow": .text(plan.name), "step": .text(step.path.description), "mode": .text(mode.rawValue),
      "run.$": "$$.Execution.Id", "retryCount.$": "$$.State.RetryCount",
    ]
    if options.sensitiveValues != .refused { parameters["sensitive"] = .text(options.sensitiveValues.rawValue) }
    switch bucket {
    case .whole: parameters["bucket.$"] = "$"
    case .keys(let names):
      parameters["bucket"] = .object(
        Dictionary(
          names.map { ("\($0).$", LanguageJSON.text(DataPath.key($0))) }, uniquingKeysWith: { $1 }))
    case .selected:
      parameters["bucket.$"] = "$.bucket"
      parameters["run.$"] = "$.run"
    }
    parameters.merge(more) { $1 }
    var state: StateList.State = ["Type": "Task", "Resource": .text(activity)]
    let seconds = Self.seconds(timeout ?? options.taskTimeout)
    state["TimeoutSeconds"] = .integer(seconds)
    // A step's own time limit may be shorter than the heartbeat, but a lost worker must be noticed in that case, too.
    if let wanted = options.heartbeat.map(Self.seconds), wanted < seconds || seconds >= 4 {
      let heartbeat = wanted < seconds ? wanted : seconds / 2
      state["HeartbeatSeconds"] = .integer(heartbeat)
      parameters["heartbeatSeconds"] = .integer(heartbeat)
    }
    state["Parameters"] = .object(parameters)
    state["Retry"] = retries(retry, hasOwnTimeout: timeout != nil)
    state["ResultPath"] = resultPath
    return state
  }

  /// Returns the retry rules of a task; a final failure is never retried.
  private func retries(_ retry: FlowPlan.Retry?, hasOwnTimeout: Bool) -> LanguageJSON {
    let final: LanguageJSON = ["ErrorEquals": [.text(FlowTaskFailure.finalName)], "MaxAttempts": .integer(0)]
    if let retry, retry.attempts > 1 {
      let first = Self.seconds(retry.first)
      var rule: [String: LanguageJSON] = [
        "ErrorEquals": ["States.ALL"], "MaxAttempts": .integer(retry.attempts - 1),
        "IntervalSeconds": .integer(first), "BackoffRate": .number(retry.factor),
      ]
      let longest = Self.seconds(retry.limit)
      if retry.factor > 1, longest > first, longest < 31_622_400 { rule["MaxDelaySeconds"] = .integer(longest) }
      // MaxDelaySeconds must be more than IntervalSeconds, so a lower limit is written as a constant delay.
      if retry.factor > 1, longest <= first {
        rule["IntervalSeconds"] = .integer(longest)
        rule["BackoffRate"] = .number(1)
      }
      return [final, .object(rule)]
    }
    guard options.redeliveries > 0 else { return [final] }
    // A step fails at a time limit of its own. The general time limit only detects lost workers.
    let lost: [LanguageJSON] =
      [.text(FlowTaskFailure.stoppedName), "States.HeartbeatTimeout"] + (hasOwnTimeout ? [] : ["States.Timeout"])
    return [
      final,
      [
        "ErrorEquals": .array(lost), "IntervalSeconds": .integer(1), "BackoffRate": .number(1),
        "MaxAttempts": .integer(options.redeliveries),
      ],
    ]
  }

  /// Returns the state with the state that follows its failure, if there is one.
  func catching(_ state: StateList.State, _ around: Surroundings, in list: inout StateList) -> StateList.State {
    guard let failure = around.failure else { return state }
    var state = state
    state["Catch"] = [
      [
        "ErrorEquals": ["States.ALL"], "ResultPath": .text(DataPath.own(around.errorPart)),
        "Next": .text(list.target(failure)),
      ]
    ]
    return state
  }

  /// Returns the parameter with the run's error, for steps at the end of a run.
  func ending(_ around: Surroundings) -> [String: LanguageJSON] {
    around.notesDone ? [:] : ["error.$": .text(DataPath.own("error"))]
  }

  /// Writes a step that is an operation or a closure.
  mutating func writeWork(
    _ step: FlowPlan.Step, into list: inout StateList, next: String, _ around: Surroundings
  ) -> String {
    let (mode, resultPath): (FlowTask.Mode, LanguageJSON)
    if step.writes?.isEmpty == true {
      (mode, resultPath) = (.nothing, .null)
    } else if let output = writesOneValue(step) {
      (mode, resultPath) = (.value, .text(DataPath.key(output)))
    } else {
      (mode, resultPath) = (.bucket, "$")
    }
    var bucket = Bucket.whole
    if mode != .bucket, let reads = step.reads?.map(\.name) {
      // A declared output that the step doesn't write retains its value, which the execution's input may contain.
      let kept = [mode == .value ? writesOneValue(step) : nil].compactMap(\.self).filter { !reads.contains($0) }
      expectedNames.formUnion(kept)
      bucket = .keys(reads + kept)
    }
    let state = task(
      step, mode, bucket, ending(around), resultPath: resultPath, timeout: step.timeout, retry: step.retry)
    let next = writeDone(step, into: &list, next: next, around)
    return list.add(name(step), catching(state, around, in: &list), next: next)
  }
}
