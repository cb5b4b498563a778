import Foundation
import OperationFlow

/// A run that differs from what a test expects; its text has the test's line, both sides, and the summary of the run.
///
/// If a test throws it, the test fails with that text in every testing framework.
public struct FlowMismatch: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// The module and the file of the expectation, such as `AppTests/PublishTests.swift`.
  public let fileID: String
  /// The path of the expectation's file.
  public let filePath: String
  /// The line of the expectation.
  public let line: Int
  /// The column of the expectation.
  public let column: Int
  /// The difference between what happened and what was expected.
  public let problem: String
  /// The summary of the run.
  public let summary: String

  /// The place of the expectation, the difference, and the summary.
  public var description: String { "\(fileID):\(line): \(problem)\n\(summary)" }

  /// The value of `description`, for code that reads `localizedDescription`.
  public var errorDescription: String? { description }

  init(_ report: FlowReport, _ site: CallSite, _ problem: String) {
    (fileID, filePath, line, column) = (site.fileID, site.filePath, site.line, site.column)
    self.problem = problem
    summary = report.summary
  }
}
