import Foundation

extension StepFunctionsClient {
  /// Creates a state machine, or changes the definition of the one with this name; an identical one changes nothing.
  ///
  /// AWS may start executions with the old definition for a few seconds after a change.
  ///
  /// - Parameters:
  ///   - name: The name; at most 80 characters.
  ///   - definition: The definition in Amazon States Language.
  ///   - roleARN: The ARN of the role with which the service runs it.
  /// - Returns: The state machine's ARN.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func deployStateMachine(_ name: String, definition: String, roleARN: String) async throws -> String {
    struct Create: Encodable { let name, definition, roleArn, type: String }
    struct Created: Decodable { let stateMachineArn: String }
    struct Update: Encodable { let stateMachineArn, definition, roleArn: String }
    var arn: String?
    do {
      arn = try await call(
        "CreateStateMachine", Create(name: name, definition: definition, roleArn: roleARN, type: "STANDARD"),
        as: Created.self
      ).stateMachineArn
    } catch let error as StepFunctionsError where error.code.description == "StateMachineAlreadyExists" {
      arn = try await stateMachineARN(name)
      if arn == nil { throw error }
    }
    // Update a new state machine, too: creating an existing one with the same definition succeeds, with its old role.
    let update = Update(stateMachineArn: arn ?? "", definition: definition, roleArn: roleARN)
    try await call("UpdateStateMachine", update)
    return update.stateMachineArn
  }

  /// Finds a state machine.
  ///
  /// - Parameter name: The state machine's name.
  /// - Returns: The state machine's ARN; `nil` if there is none with this name.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func stateMachineARN(_ name: String) async throws -> String? {
    struct Page: Decodable, ListPage {
      struct Item: Decodable { let name, stateMachineArn: String }
      let stateMachines: [Item]
      let nextToken: String?
    }
    return try await firstInPages("ListStateMachines") { (page: Page) in
      page.stateMachines.first { $0.name == name }?.stateMachineArn
    }
  }

  /// Deletes a state machine, whose executions the service stops; a missing one is no error.
  ///
  /// - Parameter arn: The state machine's ARN.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func deleteStateMachine(_ arn: String) async throws {
    struct Delete: Encodable { let stateMachineArn: String }
    try await call("DeleteStateMachine", Delete(stateMachineArn: arn))
  }

  /// Creates an activity, in which tasks wait for a worker; an existing one is no error.
  ///
  /// - Parameter name: The name; at most 80 characters.
  /// - Returns: The activity's ARN.
  /// - Throws: ``StepFunctionsError`` if the service refuses it; `CancellationError` if the task is cancelled.
  public func createActivity(_ name: String) async throws -> String {
    struct Create: Encodable { let name: String }
    struct Created: Decodable { let activityArn: String }
    struct Page: Decodable, ListPage {
      struct Item: Decodable { let name, activityArn: String }
      let activities: [Item]
      let nextToken: String?
    }
    do {
      return try await call("CreateActivity", Create(name: name), as: Created.self).activityArn
    } catch let error as StepFunctionsError where error.code.description == "ActivityAlreadyExists" {
      let arn = try await firstInPages("ListActivities") { (page: Page) in
        page.activities.first { $0.name == name }?.activityArn
      }
      guard let arn else { throw error }
      return arn
    }
  }

  private func firstInPages<Page: Decodable & ListPage>(
    _ action: String, _ find: (Page) -> String?
  ) async throws -> String? {
    var token: String?
    repeat {
      let page: Page = try await call(action, ListRequest(nextToken: token))
      if let found = find(page) { return found }
      token = page.nextToken
    } while token?.isEmpty == false
    return nil
  }
}

private struct ListRequest: Encodable {
  let maxResults = 1_000
  let nextToken: String?
}

/// A page of a list, and the token with which the next page is requested.
private protocol ListPage {
  var nextToken: String? { get }
}
