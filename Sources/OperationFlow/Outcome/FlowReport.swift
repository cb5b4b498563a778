/// A report about a run that has ended.
public struct FlowReport: Sendable {
  /// What it consists of, in one object, because a report is passed on from hand to hand.
  final class Contents: Sendable {
    let flowName: String
    let duration: Duration
    let stepCount: Int
    let itemFailures: [FlowItemFailure]
    let values: [String: RecordedValue]
    let log: EventLog
    let facts: RunFacts

    init(
      flowName: String, duration: Duration, stepCount: Int, itemFailures: [FlowItemFailure],
      values: [String: RecordedValue], log: consuming EventLog, facts: consuming RunFacts
    ) {
      self.flowName = flowName
      self.duration = duration
      self.stepCount = stepCount
      self.itemFailures = itemFailures
      self.values = values
      self.log = log
      self.facts = facts
    }
  }

  private let contents: Contents

  init(_ contents: Contents) { self.contents = contents }

  /// The flow's name, without what is hidden; computed on each access.
  public var flowName: String { secrets.scrubbing(plainFlowName) }
  var plainFlowName: String { contents.flowName }
  /// The duration of the run, from its start to its end.
  public var duration: Duration { contents.duration }
  /// The number of steps that were reached: cases and flows count with each step in them, a group as one, skipped ones not.
  public var stepCount: Int { contents.stepCount }
  /// All items that failed, of all groups, in the order in which they failed, whatever the record keeps.
  public var itemFailures: [FlowItemFailure] { contents.itemFailures }
  /// The values of the data bucket at the end; made on each access.
  public var data: [String: any Sendable] { contents.values.known }
  /// The run's events, in the order in which they happened; made on each access, without what is hidden.
  public var events: [FlowEvent] {
    let secrets = secrets
    let paths = log.shownPaths?.scrubbing(secrets)
    return log.events.map { event in event.scrubbing(secrets, path: event.path?.shown(by: paths)) }
  }
  var log: EventLog { contents.log }
  var facts: RunFacts { contents.facts }

  /// A copy of the report without the values of names that turned out to be sensitive during the run.
  var hidingSecrets: FlowReport { hiding(secrets) }

  /// Returns the error that the run has failed with, without what the report hides; an error of the user's stays as it is.
  package func shown(_ error: any Error) -> any Error {
    let secrets = facts.failure?.secrets ?? SecretTexts()
    return log.hidden.hide(error, log.shownPaths?.scrubbing(secrets), secrets)
  }

  /// The same with secrets that the texts of errors are rid of: none for a journal, which encrypts those texts as they are.
  func hiding(_ secrets: @autoclosure () -> SecretTexts) -> FlowReport {
    if log.hidden.isEmpty { return self }
    let paths = log.shownPaths
    if paths === facts.table?.paths, itemFailures.isEmpty, facts.holdsNoTexts { return self }
    let secrets = secrets()
    return with(
      log, facts.hiding(log.hidden, paths, secrets), itemFailures.map { $0.hiding(log.hidden, paths, secrets) })
  }

  /// The texts of the values that its record hides.
  var secrets: SecretTexts {
    var secrets = log.secrets(among: data, facts)
    for failure in itemFailures where failure.isInputSensitive { secrets.insert(value: failure.input) }
    return secrets
  }

  /// The same with another record, and perhaps with something else that is known.
  func with(_ log: EventLog, _ facts: RunFacts? = nil, _ itemFailures: [FlowItemFailure]? = nil) -> FlowReport {
    FlowReport(
      Contents(
        flowName: plainFlowName, duration: duration, stepCount: stepCount,
        itemFailures: itemFailures ?? self.itemFailures,
        values: contents.values, log: log, facts: facts ?? self.facts))
  }

  /// The value under `key` at the end; `nil` if there is none, or if it is of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    guard let value = contents.values[key.name]?.known else { return nil }
    return value as? Value ?? restored(value, as: Value.self)
  }
}

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
