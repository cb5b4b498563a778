import Foundation
import OperationFlow

/// A store of journals that durable runs can't rely on; its text has the test's line and the difference.
///
/// If a test throws it, the test fails with that text in every testing framework.
public struct FlowStoreMismatch: Error, Sendable, CustomStringConvertible, LocalizedError {
  /// The module and the file of the expectation, such as `AppTests/StoreTests.swift`.
  public let fileID: String
  /// The path of the expectation's file.
  public let filePath: String
  /// The line of the expectation.
  public let line: Int
  /// The column of the expectation.
  public let column: Int
  /// The difference between what the store does and what it should do.
  public let problem: String

  /// The place of the expectation, and the difference.
  public var description: String { "\(fileID):\(line): \(problem)" }

  /// The value of `description`, for code that reads `localizedDescription`.
  public var errorDescription: String? { description }

  init(_ site: CallSite, _ problem: String) {
    (fileID, filePath, line, column) = (site.fileID, site.filePath, site.line, site.column)
    self.problem = problem
  }
}
