extension FlowReport: CustomStringConvertible, CustomReflectable {
  /// The flow's name, the numbers of steps and of failed items, and the duration, in one line, without what is sensitive.
  public var description: String {
    let steps = ValueText.count(stepCount, "step")
    let failures = itemFailures.isEmpty ? "" : ", " + ValueText.count(itemFailures.count, "failed item")
    let name = secrets.scrubbing(flowName)
    return LineText.escaped("flow \"\(name)\": \(steps)\(failures), \(DurationText.of(duration))")
  }

  /// The report's properties, with the texts of its data; what is sensitive in them is shown as `<redacted>`.
  public var customMirror: Mirror {
    let secrets = secrets
    var texts = [String: String]()
    for (name, value) in data {
      texts[name] = hidesValues(of: name) ? ValueText.redacted : secrets.scrubbing(ValueText.describe(value))
    }
    return Mirror(
      self,
      children: [
        "flowName": secrets.scrubbing(flowName), "duration": duration, "stepCount": stepCount,
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
