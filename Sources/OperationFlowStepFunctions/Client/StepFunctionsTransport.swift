import Foundation

/// Sends requests to AWS Step Functions; conform a type of yours to it to use the client of an AWS SDK.
///
/// ``AWSTransport`` is the library's own. ``StepFunctionsClient`` retries a request if the transport throws a
/// ``StepFunctionsError`` that may be retried.
public protocol StepFunctionsTransport: Sendable {
  /// Sends a request and returns the body of the answer, which is JSON.
  ///
  /// The client calls it from several tasks at once. If the task is cancelled, abandon the request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The body of the answer.
  /// - Throws: A ``StepFunctionsError`` with the service's code if the service refuses the request; any error if the
  ///   service wasn't reached.
  func send(_ request: StepFunctionsRequest) async throws -> Data
}

/// A request to AWS Step Functions.
public struct StepFunctionsRequest: Sendable, Hashable {
  /// The action's name, such as `StartExecution`.
  public let action: String
  /// The body: a JSON object, as the service's API reference describes it.
  public let body: Data
  /// The time without an answer after which to abandon the request; the answer to a poll may need 60 seconds.
  public let timeout: Duration

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - action: The action's name, such as `StartExecution`.
  ///   - body: The body, a JSON object.
  ///   - timeout: The time without an answer after which to abandon the request.
  public init(action: String, body: Data, timeout: Duration = .seconds(30)) {
    self.action = action
    self.body = body
    self.timeout = timeout
  }
}
