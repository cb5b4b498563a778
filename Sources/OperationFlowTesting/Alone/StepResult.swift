import OperationFlow

/// The result of an operation or a step that a test performed alone: its outcome, values, log and progress.
public struct StepResult: Sendable, CustomStringConvertible {
  /// A line that the step logged.
  public struct Line: Sendable, Hashable, CustomStringConvertible {
    /// The line's text.
    public let message: String
    /// The importance of the line.
    public let level: FlowLogLevel

    /// The text.
    public var description: String { message }
  }

  /// The outcome, with the report of the run that the step had alone.
  public let outcome: FlowOutcome
  /// The values that the step wrote, by their names; the last one if it wrote a name several times.
  public let written: [String: any Sendable]
  /// The lines that the step logged, in order.
  public let log: [Line]
  /// The warnings of the record, such as about data that the step used without declaring it.
  public let warnings: [String]
  /// The progress that the step reported, in order, from 0 to 1.
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
    // A record cuts long names.
    written = outcome.report.data.filter { names.contains(ValueText.name($0.key)) }
  }

  /// True if the step succeeded.
  public var isSuccess: Bool { outcome.isSuccess }
  /// The error of the step; for a cancelled step, an error with the code `cancelled`.
  public var error: (any Error)? { outcome.error }
  /// The summary of the step's run.
  public var summary: String { outcome.report.summary }

  /// The value that the step wrote under `key`; `nil` if it wrote none, or one of another type.
  public subscript<Value>(key: FlowKey<Value>) -> Value? { written[key.name].flatMap { $0 as? Value } }

  /// The outcome in one line.
  public var description: String { outcome.description }
}
