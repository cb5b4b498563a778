import Foundation
import OperationFlow

/// Why a flow can't be a state machine: all reasons together, each with its place and what to do about it.
public struct StateMachineExportError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// One reason.
  public struct Reason: Sendable, Hashable, CustomStringConvertible {
    /// The place in the flow.
    public let path: FlowPath
    /// What can't be carried over, in a sentence.
    public let problem: String
    /// What to do about it, in a sentence.
    public let remedy: String

    /// The reason in one line.
    public var description: String { "\(path): \(problem) \(remedy)" }
  }

  /// The flow's name.
  public let flowName: String
  /// The reasons, those of the flow as a whole first, then in the order of the steps.
  public let reasons: [Reason]

  /// All reasons, one in a line.
  public var description: String {
    let count = reasons.count == 1 ? "1 reason" : "\(reasons.count) reasons"
    return "flow \"\(flowName)\" can't be a state machine, for \(count):"
      + reasons.map { "\n- \($0)" }.joined()
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
