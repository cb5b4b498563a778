import Foundation

/// An execution of a state machine, from its start to its end.
public struct FlowExecution: Sendable {
  /// The execution's ARN.
  public let arn: String
  private let client: StepFunctionsClient
  private let clock: any Clock<Duration>

  /// Creates a handle to an execution that was started before, also by another process.
  ///
  /// - Parameters:
  ///   - arn: The execution's ARN.
  ///   - client: The client.
  ///   - clock: The clock on which ``outcome()`` waits between two requests.
  public init(arn: String, client: StepFunctionsClient, clock: any Clock<Duration> = ContinuousClock()) {
    self.arn = arn
    self.client = client
    self.clock = clock
  }

  /// Starts an execution; if one with this name exists already, nothing is started, and the result is a handle to it.
  ///
  /// - Parameters:
  ///   - stateMachineARN: The state machine's ARN.
  ///   - name: The execution's name; at most 80 characters. A name made from the data, such as an order's number,
  ///     ensures that no work is started twice.
  ///   - input: The input, a JSON object; at most 256 KiB.
  ///   - client: The client.
  ///   - clock: The clock on which ``outcome()`` waits between two requests.
  /// - Returns: The execution.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public static func start(
    _ stateMachineARN: String, name: String, input: Data, client: StepFunctionsClient,
    clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> FlowExecution {
    let arn = try await client.startExecution(of: stateMachineARN, name: name, input: input)
    return FlowExecution(arn: arn, client: client, clock: clock)
  }

  /// Waits until the execution has ended.
  ///
  /// It asks the service after delays that grow from a tenth of a second to ten seconds.
  ///
  /// - Returns: The ended execution, with its output or error.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func outcome() async throws -> StepFunctionsExecution {
    var delay = Duration.milliseconds(100)
    while true {
      let execution = try await client.describeExecution(arn)
      if execution.hasEnded { return execution }
      try await clock.sleep(for: delay)
      delay = min(delay * 3 / 2, .seconds(10))
    }
  }

  /// Stops the execution; one that has ended isn't changed.
  ///
  /// Workers are notified by the reply to their next heartbeat.
  ///
  /// - Parameters:
  ///   - error: A short name for the reason, cut to 256 characters.
  ///   - cause: The reason, cut to 32,768 characters.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func stop(error: String? = nil, cause: String? = nil) async throws {
    try await client.stopExecution(arn, error: error, cause: cause)
  }

  /// Returns the events so far, in order.
  ///
  /// - Returns: The events, as the service reports them.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func history() async throws -> [StepFunctionsEvent] { try await client.executionHistory(arn) }
}
