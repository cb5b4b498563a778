import Foundation

/// A task that a worker has received from an activity.
public struct ActivityTask: Sendable, Hashable {
  /// The token that identifies the task to the service; pass it with the answer.
  public let token: String
  /// The input, which is JSON.
  public let input: Data

  /// Creates a task.
  ///
  /// - Parameters:
  ///   - token: The token that identifies the task to the service.
  ///   - input: The input, which is JSON.
  public init(token: String, input: Data) {
    self.token = token
    self.input = input
  }
}

extension ActivityTask: CustomStringConvertible, CustomReflectable {
  /// The size of the input, without the token, with which anyone can answer the task.
  public var description: String { "ActivityTask(\(input.count) bytes)" }

  /// The size of the input.
  public var customMirror: Mirror { Mirror(self, children: ["size": input.count]) }
}
