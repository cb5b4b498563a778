import Foundation

extension StepFunctionsClient {
  /// Waits for a task of an activity, for at most a minute, which is the service's limit.
  ///
  /// - Parameters:
  ///   - activityARN: The activity's ARN.
  ///   - workerName: The worker's name, which is in the execution's history; at most 80 characters.
  /// - Returns: The task, which no one else gets; `nil` if there was none.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func getActivityTask(_ activityARN: String, workerName: String? = nil) async throws -> ActivityTask? {
    struct Request: Encodable {
      let activityArn: String
      let workerName: String?
    }
    struct Answer: Decodable { let taskToken, input: String? }
    let answer: Answer = try await call(
      "GetActivityTask", Request(activityArn: activityARN, workerName: workerName), timeout: .seconds(75))
    guard let token = answer.taskToken, !token.isEmpty else { return nil }
    return ActivityTask(token: token, input: Data((answer.input ?? "{}").utf8))
  }

  /// Reports to the service that a task has succeeded.
  ///
  /// - Parameters:
  ///   - token: The task's token.
  ///   - output: The output, which is JSON; at most 256 KiB.
  /// - Throws: ``StepFunctionsError`` if the output is too large, or if the service no longer waits for the task;
  ///   `CancellationError` if the task is cancelled.
  public func sendTaskSuccess(_ token: String, output: Data) async throws {
    struct Request: Encodable { let taskToken, output: String }
    let text = try payload(output, "the task's output", action: "SendTaskSuccess")
    try await call("SendTaskSuccess", Request(taskToken: token, output: text))
  }

  /// Reports to the service that a task has failed.
  ///
  /// - Parameters:
  ///   - token: The task's token.
  ///   - error: A short name by which the state machine distinguishes errors, cut to 256 characters.
  ///   - cause: The problem, cut to 32,768 characters.
  /// - Throws: ``StepFunctionsError`` if the service no longer waits for the task; `CancellationError` if the task is
  ///   cancelled.
  public func sendTaskFailure(_ token: String, error: String, cause: String) async throws {
    struct Request: Encodable { let taskToken, error, cause: String }
    try await call(
      "SendTaskFailure",
      Request(taskToken: token, error: ServiceLimits.errorName(error), cause: ServiceLimits.cause(cause)))
  }

  /// Reports to the service that a worker is still working on a task.
  ///
  /// - Parameter token: The task's token.
  /// - Throws: ``StepFunctionsError`` if the service no longer waits for the task, or if the task's state has no
  ///   `HeartbeatSeconds`; `CancellationError` if the task is cancelled.
  public func sendTaskHeartbeat(_ token: String) async throws {
    try await sendTaskHeartbeat(token, timeout: .seconds(30))
  }

  /// Sends a heartbeat, with a time limit for each request.
  func sendTaskHeartbeat(_ token: String, timeout: Duration) async throws {
    struct Request: Encodable { let taskToken: String }
    try await call("SendTaskHeartbeat", Request(taskToken: token), timeout: timeout)
  }
}
