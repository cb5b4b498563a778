import Foundation

/// What is known about a run that has ended.
public struct FlowReport: Sendable {
  /// The flow's name.
  public let flowName: String
  /// How long the run took, from its start to its end.
  public let duration: Duration
  /// How many steps were reached: a group counts as one, cases and a flow as one in addition to the steps in
  /// them, and a skipped step not at all.
  public let stepCount: Int
  /// All items that failed, of all groups, in the order in which they failed, whatever the record keeps.
  public let itemFailures: [FlowItemFailure]
  /// The values of the data bucket at the end.
  public let data: [String: any Sendable]
  /// The run's events, in the order in which they happened.
  public var events: [FlowEvent] { log.events }
  let log: EventLog
  /// What became of its steps and items, and what decided its end.
  let facts: RunFacts

  /// A copy of the report without the values of names that turned out to be sensitive during the run.
  var hidingSecrets: FlowReport {
    if log.hidden.isEmpty { return self }
    let paths = log.shownPaths
    if paths === facts.table?.paths, itemFailures.isEmpty, facts.holdsNoTexts { return self }
    return FlowReport(
      flowName: flowName, duration: duration, stepCount: stepCount,
      itemFailures: itemFailures.map { $0.hiding(log.hidden, paths) }, data: data, log: log,
      facts: facts.hiding(log.hidden, paths))
  }

  /// The value under `key` at the end; `nil` if there is none, or if it is of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? {
    guard let value = data[key.name] else { return nil }
    return value as? Value ?? restored(value, as: Value.self)
  }
}
