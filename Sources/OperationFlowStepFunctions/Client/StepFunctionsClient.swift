import Foundation

/// The calls to AWS Step Functions that flows, workers and executions need.
///
/// ```swift
/// let client = try StepFunctionsClient(transport: AWSTransport())
/// let activity = try await client.createActivity("Publish")
/// ```
///
/// The client repeats a call that is throttled, that the service fails to answer, or whose connection breaks, with
/// growing delays. That is safe, because repeating a call has no further effect; but an answer to a task may be refused
/// if the first one had arrived. You can use a client from any number of tasks at the same time.
public struct StepFunctionsClient: Sendable {
  private let transport: any StepFunctionsTransport
  private var attempts: Int
  private let clock: any Clock<Duration>
  private let backoff: Backoff

  /// Creates a client.
  ///
  /// - Parameters:
  ///   - transport: The transport that sends the requests, such as an ``AWSTransport``.
  ///   - attempts: The maximum number of times that a request is sent; a number below 1 counts as 1.
  ///   - clock: The clock on which the client waits before it sends a request again.
  ///   - seed: The seed of the delays' random part; `nil` for a random one.
  public init(
    transport: any StepFunctionsTransport, attempts: Int = 6, clock: any Clock<Duration> = ContinuousClock(),
    seed: UInt64? = nil
  ) {
    self.transport = transport
    self.attempts = max(1, attempts)
    self.clock = clock
    backoff = Backoff(first: 0.2, limit: 10, seed: seed)
  }

  /// A client that sends each request once.
  var sendingOnce: StepFunctionsClient {
    var client = self
    client.attempts = 1
    return client
  }

  /// Makes a call, repeats it if it may succeed later, and decodes the answer.
  func call<Answer: Decodable>(
    _ action: String, _ input: some Encodable, as type: Answer.Type = Answer.self, timeout: Duration = .seconds(30)
  ) async throws -> Answer {
    let body = try await call(action, input, timeout: timeout)
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch {
      throw StepFunctionsError.invalidAnswer("the answer has no \(type): \(error)", action: action)
    }
  }

  /// Makes a call, repeats it if it may succeed later, and returns the body of the answer.
  @discardableResult
  func call(_ action: String, _ input: some Encodable, timeout: Duration = .seconds(30)) async throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let request = StepFunctionsRequest(action: action, body: try encoder.encode(input), timeout: timeout)
    var failures = 0
    while true {
      do {
        try Task.checkCancellation()
        return try await transport.send(request)
      } catch let error as StepFunctionsError where error.mayBeRetried {
        failures += 1
        if failures >= attempts { throw error }
        try await clock.sleep(for: backoff.delay(after: failures))
      }
    }
  }
}
