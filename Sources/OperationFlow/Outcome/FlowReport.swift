/// A report about a run that has ended.
public struct FlowReport: Sendable {
  let plainFlowName: String
  /// The duration of the run, from its start to its end.
  public internal(set) var duration: Duration
  /// The number of steps that were reached: cases, flows and each step in them count, a group is one, skipped steps
  /// don't count.
  public internal(set) var stepCount: Int
  /// All items that failed, of all groups, in the order in which they failed, whatever the record contains.
  public internal(set) var itemFailures: [FlowItemFailure]
  /// The values of the data bucket at the end, with their texts.
  let values: [String: RecordedValue]
  var log: EventLog
  var facts: RunFacts

  /// The flow's name, without hidden values; computed on each access.
  public var flowName: String { secrets.scrubbing(plainFlowName) }
  /// The values of the data bucket at the end; created on each access.
  public var data: [String: any Sendable] { values.known }
  /// The run's events, in the order in which they happened, without hidden values; created on each access.
  public var events: [FlowEvent] {
    let secrets = secrets
    let paths = log.shownPaths?.scrubbing(secrets)
    return log.events.map { event in event.scrubbing(secrets, path: event.path?.shown(by: paths)) }
  }

  /// Returns an error of the run without the values that the report hides; a user's error is unchanged.
  package func shown(_ error: any Error) -> any Error {
    let secrets = facts.failure?.secrets ?? SecretTexts()
    return log.hidden.hide(error, log.shownPaths?.scrubbing(secrets), secrets)
  }

  /// Returns a copy without the values of names that became sensitive during the run.
  ///
  /// The texts of errors lose these secrets, by default those of the report. A journal passes none, because it encrypts
  /// these texts.
  func hidingSecrets(_ given: SecretTexts? = nil) -> FlowReport {
    let paths = log.shownPaths
    if log.hidden.isEmpty || paths === facts.table?.paths && itemFailures.isEmpty && facts.holdsNoTexts { return self }
    let secrets = given ?? secrets
    var report = self
    report.facts = facts.hiding(log.hidden, paths, secrets)
    report.itemFailures = itemFailures.map { $0.hiding(log.hidden, paths, secrets) }
    return report
  }

  /// The texts of the values that the record hides.
  var secrets: SecretTexts {
    var secrets = log.secrets(among: data, facts)
    for failure in itemFailures where failure.isInputSensitive { secrets.insert(value: failure.input) }
    return secrets
  }

  /// Returns a copy with another record.
  func with(_ log: EventLog) -> FlowReport {
    var report = self
    report.log = log
    return report
  }

  /// The value under `key` at the end; `nil` if there is none, or if it has another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    guard let value = values[key.name]?.known else { return nil }
    return value as? Value ?? restored(value, as: Value.self)
  }
}

extension FlowReport {
  /// Creates the report of a run that ended in another process, with only some of its values.
  ///
  /// It hides these names, and their values among the given ones.
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
  /// The flow's name, the numbers of steps and of failed items, and the duration, in one line, without sensitive
  /// values.
  public var description: String {
    let steps = ValueText.count(stepCount, "step")
    let failures = itemFailures.isEmpty ? "" : ", " + ValueText.count(itemFailures.count, "failed item")
    return LineText.escaped("flow \"\(flowName)\": \(steps)\(failures), \(DurationText.of(duration))")
  }

  /// The report's properties, with the texts of its data; sensitive parts are shown as `<redacted>`.
  public var customMirror: Mirror {
    let secrets = secrets
    // Not a dictionary, because several names can become equal when sensitive parts are removed from them.
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
