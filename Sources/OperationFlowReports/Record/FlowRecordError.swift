import Foundation
import OperationFlow

/// The reason why a saved record can't be read, and the remedy.
public struct FlowRecordError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The number of the line, counted from 1; `nil` if no line is to blame.
  public let line: Int?
  /// The problem and the remedy.
  public let description: String

  private init(line: Int? = nil, _ problem: String, remedy: String) {
    self.line = line
    description = problem + ". " + remedy
  }

  /// The problem and the remedy, as in ``description``.
  public var errorDescription: String? { description }

  static let noRecord = FlowRecordError(
    "The data isn't a saved record: its first line isn't that of a record",
    remedy: "Pass the JSON lines that `FlowRecord.jsonLines()` returned.")

  static func unknownVersion(_ version: Int) -> FlowRecordError {
    FlowRecordError(
      "The record has version \(version) of the format, and this library reads versions from 1 to "
        + "\(FlowRecord.jsonLinesVersion)",
      remedy: "Read it with the version of OperationFlow that wrote it, or a later one.")
  }

  static func damaged(
    line: Int, _ problem: String, remedy: String = "Restore the file, or remove the line to read the rest."
  ) -> FlowRecordError {
    FlowRecordError(
      line: line, "Line \(line) of the record is damaged: \(problem.prefix(300))", remedy: remedy)
  }
}
