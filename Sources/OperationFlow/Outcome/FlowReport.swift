/// A report about a run that has ended.
public struct FlowReport: Sendable {
  let plainFlowName: String
  /// The duration of the run, from its start to its end.
  public internal(set) var duration: Duration
  /// The number of steps that were reached: cases and flows count with each step in them, a group as one, skipped ones not.
  public internal(set) var stepCount: Int
  /// All items that failed, of all groups, in the order in which they failed, whatever the record keeps.
  public internal(set) var itemFailures: [FlowItemFailure]
  /// The values of the data bucket at the end, with their texts.
  let values: [String: RecordedValue]
  var log: EventLog
  var facts: RunFacts

  /// The flow's name, without what is hidden; computed on each access.
  public var flowName: String { secrets.scrubbing(plainFlowName) }
  /// The values of the data bucket at the end; made on each access.
  public var data: [String: any Sendable] { values.known }
  /// The run's events, in the order in which they happened; made on each access, without what is hidden.
  public var events: [FlowEvent] {
    let secrets = secrets
    let paths = log.shownPaths?.scrubbing(secrets)
    return log.events.map { event in event.scrubbing(secrets, path: event.path?.shown(by: paths)) }
  }

  /// Returns the error that the run has failed with, without what the report hides; an error of the user's stays as it is.
  package func shown(_ error: any Error) -> any Error {
    let secrets = facts.failure?.secrets ?? SecretTexts()
    return log.hidden.hide(error, log.shownPaths?.scrubbing(secrets), secrets)
  }

  /// A copy of the report without the values of names that turned out to be sensitive during the run.
  ///
  /// Texts of errors lose the secrets: those of the report, or others. A journal gives none, because it encrypts these texts.
  func hidingSecrets(_ given: SecretTexts? = nil) -> FlowReport {
    let paths = log.shownPaths
    if log.hidden.isEmpty || paths === facts.table?.paths && itemFailures.isEmpty && facts.holdsNoTexts { return self }
    let secrets = given ?? secrets
    var report = self
    report.facts = facts.hiding(log.hidden, paths, secrets)
    report.itemFailures = itemFailures.map { $0.hiding(log.hidden, paths, secrets) }
    return report
  }

  /// The texts of the values that its record hides.
  var secrets: SecretTexts {
    var secrets = log.secrets(among: data, facts)
    for failure in itemFailures where failure.isInputSensitive { secrets.insert(value: failure.input) }
    return secrets
  }

  /// A copy of the report with another record.
  func with(_ log: EventLog) -> FlowReport {
    var report = self
    report.log = log
    return report
  }

  /// The value under `key` at the end; `nil` if there is none, or if it is of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    guard let value = values[key.name]?.known else { return nil }
    return value as? Value ?? restored(value, as: Value.self)
  }
}

extension FlowReport {
  /// The report of a run that ended in another process: nothing is known of its steps, and only some of its values.
  ///
  /// It hides these names, and what they have among the values that are given.
  package init(
    ofEnded flowName: String, _ facts: RunFacts, duration: Duration, stepCount: Int, itemFailures: [FlowItemFailure],
    values: [String: any Sendable], recorder: Recorder, hiding names: Set<String>, of given: [String: any Sendable]
  ) {
    let report = FlowReport(
      plainFlowName: flowName, duration: duration, stepCount: stepCount, itemFailures: itemFailures,
      values: FlowData(values: values).entries, log: recorder.log.emptied(hiding: names, of: given), facts: facts)
    self = report.hidingSecrets()
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
