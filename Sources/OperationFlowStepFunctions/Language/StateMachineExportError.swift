import Foundation
import OperationFlow

/// The reasons why a flow can't be a state machine, each with its place and its remedy.
public struct StateMachineExportError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// A reason why a flow can't be a state machine.
  public struct Reason: Sendable, Hashable, CustomStringConvertible {
    /// The place in the flow.
    public let path: FlowPath
    /// The problem, in a sentence.
    public let problem: String
    /// The remedy, in a sentence.
    public let remedy: String

    /// The reason in one line.
    public var description: String { LineText.escaped("\(path): \(problem) \(remedy)") }
  }

  /// The flow's name.
  public let flowName: String
  /// The reasons: first those of the flow as a whole, then those of the steps in their order.
  public let reasons: [Reason]

  /// The reasons, one in each line.
  public var description: String {
    let count = reasons.count == 1 ? "1 reason" : "\(reasons.count) reasons"
    return LineText.escaped("flow \"\(flowName)\"") + " can't be a state machine, for \(count):"
      + reasons.map { "\n- \($0)" }.joined()
  }

  /// The error's ``description``, for code that reads `localizedDescription`.
  public var errorDescription: String? { description }
}
