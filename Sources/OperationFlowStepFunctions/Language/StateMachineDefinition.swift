import Foundation
import OperationFlow

/// A flow as a state machine in Amazon States Language, which AWS Step Functions runs.
///
/// The data of its states is the flow's data bucket: a JSON object with a member for each key. The member
/// `operationFlow` is the library's own.
public struct StateMachineDefinition: Sendable, Hashable, CustomStringConvertible {
  /// The flow's name.
  public let flowName: String
  /// The definition as JSON, with sorted members, so that equal flows have equal texts.
  public let text: String
  /// The steps that the states belong to, by the states' names; states of the library's own have none.
  public let steps: [String: FlowPath]

  /// The definition as JSON.
  public var json: Data { Data(text.utf8) }
  /// The definition as JSON.
  public var description: String { text }
}
