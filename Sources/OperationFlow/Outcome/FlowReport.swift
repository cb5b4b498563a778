import Foundation

/// What is known of a run that has ended.
public struct FlowReport: Sendable {
  /// The flow's name.
  public let flowName: String
  /// How long the run took, from its start to its end.
  public let duration: Duration
  /// How many steps were reached: a group counts as one, cases and a flow as one beside the steps in them.
  public let stepCount: Int
  /// The items that failed, of all groups, in the order in which they failed; all of them, whatever the record keeps.
  public internal(set) var itemFailures: [FlowItemFailure]
  /// The values of the data bucket at the end.
  public let data: [String: any Sendable]
  /// The run's events, in the order in which they happened.
  public var events: [FlowEvent] { log.events }
  let log: EventLog
  /// What became of its steps and items, and what decided its end.
  private(set) var facts: RunFacts

  /// The report without what names hide that turned out to be sensitive during the run.
  var hidingSecrets: FlowReport {
    if log.hidden.isEmpty { return self }
    var report = self
    let paths = log.shownPaths
    report.itemFailures = itemFailures.map { $0.hiding(log.hidden, paths) }
    report.facts = facts.hiding(log.hidden, paths)
    return report
  }

  /// The value under `key` at the end; `nil` if there is none, or if it is of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? { data[key.name] as? Value }
}
