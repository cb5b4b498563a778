extension FlowReport: CustomStringConvertible, CustomReflectable {
  /// The flow's name, the numbers of steps and of failed items, and the duration, in one line, without what is sensitive.
  public var description: String {
    let steps = ValueText.count(stepCount, "step")
    let failures = itemFailures.isEmpty ? "" : ", " + ValueText.count(itemFailures.count, "failed item")
    return LineText.escaped("flow \"\(flowName)\": \(steps)\(failures), \(DurationText.of(duration))")
  }

  /// The report's properties, with the texts of its data; what is sensitive in them is shown as `<redacted>`.
  public var customMirror: Mirror {
    let secrets = secrets
    // A dictionary would lose all but one of the names that are alike without what is hidden.
    let texts = data.sorted { $0.key < $1.key }.map { name, value in
      let text = hidesValues(of: name) ? ValueText.redacted : ValueText.describe(value)
      return FlowEvent.Item(name: ValueText.name(name), text: text).scrubbing(secrets)
    }
    return Mirror(
      self,
      children: [
        "flowName": secrets.scrubbing(plainFlowName), "duration": duration, "stepCount": stepCount,
        "itemFailures": itemFailures, "data": texts,
      ], displayStyle: .struct)
  }

  package func hidesValues(of name: String) -> Bool { log.hidden.contains(ValueText.name(name)) }
}

extension FlowOutcome: CustomStringConvertible, CustomReflectable {
  /// The outcome in one line, with the error and the report.
  public var description: String {
    let end = isSuccess ? "succeeded" : failureText.map { LineText.escaped("failed with \($0)") } ?? "cancelled"
    return (hadEnded ? "had ended before: " : "") + "\(end), \(report)"
  }

  /// The case with the error's text and the report.
  public var customMirror: Mirror {
    let name = isSuccess ? "succeeded" : failureText == nil ? "cancelled" : "failed"
    let value: Any = if let failureText { (error: failureText, report: report) } else { report }
    return Mirror(self, children: [name: value], displayStyle: .enum)
  }

  /// The error's text as it was made when it came, as far as that is kept; `nil` unless the run failed.
  private var failureText: String? {
    guard case .failed(let error, let report) = self else { return nil }
    return report.secrets.scrubbing(report.failure?.work.errorText ?? ValueText.describe(error: error))
  }
}

extension FlowReport.Step: CustomReflectable {
  /// The step's properties, with the texts of its outputs; what is sensitive in them is shown as `<redacted>`.
  public var customMirror: Mirror {
    let outputs = partialOutputs.mapValues { output in
      hidesOutputs ? ValueText.redacted : secrets.scrubbing(ValueText.describe(output))
    }
    return Mirror(
      self,
      children: [
        "path": path.description, "name": name, "kind": kind, "end": end, "duration": duration as Any,
        "beforeResume": beforeResume as Any, "attempts": attempts, "items": items as Any, "partialOutputs": outputs,
      ], displayStyle: .struct)
  }
}
