import Foundation

extension StepFunctionsClient {
  /// Starts an execution; if one with this name exists, nothing is started, and its ARN is returned.
  ///
  /// AWS remembers the names of executions for 90 days after their end.
  ///
  /// - Parameters:
  ///   - stateMachineARN: The state machine's ARN.
  ///   - name: The execution's name; at most 80 characters.
  ///   - input: The input, a JSON object; at most 256 KiB.
  /// - Returns: The execution's ARN.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func startExecution(of stateMachineARN: String, name: String, input: Data) async throws -> String {
    struct Start: Encodable { let stateMachineArn, name, input: String }
    struct Started: Decodable { let executionArn: String }
    let text = try payload(input, "the execution's input", action: "StartExecution")
    do {
      return try await call(
        "StartExecution", Start(stateMachineArn: stateMachineARN, name: name, input: text), as: Started.self
      ).executionArn
    } catch let error as StepFunctionsError where error.code.description == "ExecutionAlreadyExists" {
      // An execution's ARN is its state machine's ARN with another kind, followed by the execution's name.
      var parts = stateMachineARN.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 7, parts[5] == "stateMachine" else { throw error }
      parts[5] = "execution"
      return (parts + [name]).joined(separator: ":")
    }
  }

  /// Returns the status of an execution.
  ///
  /// - Parameter arn: The execution's ARN.
  /// - Returns: Its status, and its output or error if it has ended.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func describeExecution(_ arn: String) async throws -> StepFunctionsExecution {
    try await call("DescribeExecution", ExecutionRequest(executionArn: arn))
  }

  /// Stops an execution; one that has ended isn't changed.
  ///
  /// - Parameters:
  ///   - arn: The execution's ARN.
  ///   - error: A short name for the reason, cut to 256 characters.
  ///   - cause: The reason, cut to 32,768 characters.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func stopExecution(_ arn: String, error: String? = nil, cause: String? = nil) async throws {
    struct Stop: Encodable {
      let executionArn: String
      let error, cause: String?
    }
    try await call(
      "StopExecution",
      Stop(executionArn: arn, error: error.map(ServiceLimits.errorName), cause: cause.map(ServiceLimits.cause)))
  }

  /// Returns the events of an execution, from its start, in order.
  ///
  /// - Parameter arn: The execution's ARN.
  /// - Returns: The events; AWS stores at most 25,000 of an execution.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func executionHistory(_ arn: String) async throws -> [StepFunctionsEvent] {
    struct Request: Encodable {
      let executionArn: String
      let maxResults = 1_000
      let nextToken: String?
    }
    let action = "GetExecutionHistory"
    var events: [StepFunctionsEvent] = []
    var token: String?
    repeat {
      let body = try await call(action, Request(executionArn: arn, nextToken: token))
      guard let page = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any],
        let items = page["events"] as? [[String: Any]]
      else { throw StepFunctionsError.invalidAnswer("the answer has no events", action: action) }
      for item in items {
        guard let event = StepFunctionsEvent(item) else {
          throw StepFunctionsError.invalidAnswer("an event has no id, type or time", action: action)
        }
        events.append(event)
      }
      token = page["nextToken"] as? String
    } while token?.isEmpty == false
    return events
  }

  struct ExecutionRequest: Encodable { let executionArn: String }

  /// Returns JSON as text; throws if the service doesn't accept that many bytes.
  func payload(_ json: Data, _ what: String, action: String) throws -> String {
    if json.count > ServiceLimits.payload {
      throw StepFunctionsError(
        .tooLarge, action: action,
        message: "\(what) has \(json.count) bytes, and the service takes at most \(ServiceLimits.payload)",
        remedy: "Keep large values elsewhere and pass references to them, as FlowLargeValues does.")
    }
    return String(decoding: json, as: UTF8.self)
  }
}
