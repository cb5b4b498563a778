extension FlowReport: CustomStringConvertible, CustomReflectable {
  /// The flow's name, the numbers of steps and of failed items, and the duration, in one line.
  public var description: String {
    let steps = ValueText.count(stepCount, "step")
    let failures = itemFailures.isEmpty ? "" : ", " + ValueText.count(itemFailures.count, "failed item")
    return LineText.escaped("flow \"\(flowName)\": \(steps)\(failures), \(DurationText.of(duration))")
  }

  /// The report's properties, with the texts of its data; a value that is sensitive is shown as `<redacted>`.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: [
        "flowName": flowName, "duration": duration, "stepCount": stepCount, "itemFailures": itemFailures,
        "data": dataTexts,
      ], displayStyle: .struct)
  }

  /// Returns true if the values of a name are shown as `<redacted>`.
  package func hidesValues(of name: String) -> Bool { log.hidden.contains(ValueText.name(name)) }

  /// The texts of the values by name.
  private var dataTexts: [String: String] {
    var texts: [String: String] = [:]
    for (name, value) in data { texts[name] = hidesValues(of: name) ? ValueText.redacted : ValueText.describe(value) }
    return texts
  }
}

extension FlowOutcome: CustomStringConvertible, CustomReflectable {
  /// The outcome in one line, with the error and the report.
  public var description: String {
    switch self {
    case .succeeded(let report): "succeeded, \(report)"
    case .failed(let error, let report): LineText.escaped("failed with \(Self.text(of: error, report)), ") + "\(report)"
    case .cancelled(let report): "cancelled, \(report)"
    }
  }

  /// The case with the error's text and the report.
  public var customMirror: Mirror {
    switch self {
    case .succeeded(let report): Mirror(self, children: ["succeeded": report], displayStyle: .enum)
    case .failed(let error, let report):
      Mirror(self, children: ["failed": (error: Self.text(of: error, report), report: report)], displayStyle: .enum)
    case .cancelled(let report): Mirror(self, children: ["cancelled": report], displayStyle: .enum)
    }
  }

  /// The error's text as it was made when it came, as far as that is kept.
  private static func text(of error: any Error, _ report: FlowReport) -> String {
    report.failure?.work.errorText ?? ValueText.describe(error: error)
  }
}
