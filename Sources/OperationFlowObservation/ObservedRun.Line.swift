import Foundation
import OperationFlow

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservedRun {
  /// A line of the run's log: a logged text, a warning, or the failure of a step or an item.
  public struct Line: Sendable, Hashable, Identifiable, CustomStringConvertible {
    /// The number of the event in the run, which identifies the line in a list.
    public let id: Int
    /// The time when the line was logged.
    public let date: Date
    /// The importance of the line.
    public let level: FlowLogLevel
    /// The step or item that logged the line, or that failed, as in a summary: `[UploadOp #3]`.
    public let source: String
    /// The text of the line, with control characters escaped as in a summary; a failure's text ends with the error.
    public let message: String

    /// A text such as `[UploadOp #3] uploaded`.
    public var description: String { "\(source) \(message)" }
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension ObservedRun.Line {
  /// Creates the line of an event as it was logged; `nil` if it has none, as for values and successes.
  init?(_ event: FlowEvent, from level: FlowLogLevel) {
    guard let line = FlowLogLine(event), line.level >= level else { return nil }
    self.init(
      id: event.number, date: line.date, level: line.level, source: line.source.description, message: line.message)
  }

  /// Returns a copy without hidden values.
  func hiding(_ secrets: RunSecrets) -> Self {
    Self(
      id: id, date: date, level: level, source: secrets.scrubbing(source), message: secrets.scrubbing(message))
  }
}
