import Foundation

/// An error of an earlier process: a journal stores the text and the type of an error of your own.
public struct FlowStoredError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The error's text: its localized description if it had one, otherwise what Swift prints.
  public let description: String
  /// The name of the error's type.
  public let type: String

  /// The error's text, as in ``description``.
  public var errorDescription: String? { description }
}
