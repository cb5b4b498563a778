import Foundation

/// Sends requests to AWS Step Functions; conform a type of yours to it to use the client of an AWS SDK.
///
/// ``AWSTransport`` is the library's own. ``StepFunctionsClient`` retries what a transport throws if it is a
/// ``StepFunctionsError`` that may be retried.
public protocol StepFunctionsTransport: Sendable {
  /// Sends a request and returns the body of the answer, which is JSON.
  ///
  /// It is called from several tasks at once. If its task is cancelled, it should give up the request.
  ///
  /// - Parameter request: The request.
  /// - Returns: The body of the answer.
  /// - Throws: A ``StepFunctionsError`` with the service's code if the service refuses the request; any error if it
  ///   wasn't reached.
  func send(_ request: StepFunctionsRequest) async throws -> Data
}

/// A request to AWS Step Functions.
public struct StepFunctionsRequest: Sendable, Hashable {
  /// The action's name, such as `StartExecution`.
  public let action: String
  /// The body: a JSON object, as the service's API reference describes it.
  public let body: Data
  /// The time without an answer after which to give up the request; a long poll takes 60 seconds.
  public let timeout: Duration

  /// Creates a request.
  ///
  /// - Parameters:
  ///   - action: The action's name, such as `StartExecution`.
  ///   - body: The body, a JSON object.
  ///   - timeout: After how long without an answer the request should be given up.
  public init(action: String, body: Data, timeout: Duration = .seconds(30)) {
    self.action = action
    self.body = body
    self.timeout = timeout
  }
}
