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
