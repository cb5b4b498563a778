import OperationFlow

/// The result of an operation or a step that a test performed alone: how it ended, and what it did.
public struct StepResult: Sendable, CustomStringConvertible {
  /// A line that it logged.
  public struct Line: Sendable, Hashable, CustomStringConvertible {
    /// The line's text.
    public let message: String
    /// How important it is.
    public let level: FlowLogLevel

    /// The text.
    public var description: String { message }
  }

  /// How it ended, with the report of the run that it had alone.
  public let outcome: FlowOutcome
  /// The values that it wrote, by their names; of those that it wrote several times, the last.
  public let written: [String: any Sendable]
  /// The lines that it logged, in order.
  public let log: [Line]
  /// What the record warns about, such as data that it used without declaring it.
  public let warnings: [String]
  /// The progress that it reported, in order, from 0 to 1.
  public let progress: [Double]

  init(_ outcome: FlowOutcome, progress: [Double]) {
    self.outcome = outcome
    self.progress = progress
    var (names, log, warnings) = (Set<String>(), [Line](), [String]())
    for event in outcome.report.events {
      switch event.kind {
      case .added(let name, _), .replaced(let name, _, _): names.insert(name)
      case .logged(let message, let level): log.append(Line(message: message, level: level))
      case .warned(let warning): warnings.append(warning)
      default: break
      }
    }
    (self.log, self.warnings) = (log, warnings)
    written = outcome.report.data.filter { names.contains($0.key) }
  }

  /// Whether it succeeded.
  public var isSuccess: Bool { outcome.isSuccess }
  /// The error that it failed with; for one that was cancelled, an error with the code `cancelled`.
  public var error: (any Error)? { outcome.error }
  /// The summary of its run.
  public var summary: String { outcome.report.summary }

  /// The value that it wrote under `key`; `nil` if it wrote none, or one of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? { written[key.name] as? Value }

  /// How it ended, in one line.
  public var description: String { outcome.description }
}
