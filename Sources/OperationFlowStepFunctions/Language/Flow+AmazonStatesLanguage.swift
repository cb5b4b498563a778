import Foundation
import OperationFlow

extension Flow {
  /// Returns the flow as a state machine in Amazon States Language, whose tasks are activities that workers poll.
  ///
  /// Declare the keys that steps read and write, with ports or with `.reads` and `.writes`. A step without declarations
  /// gets the whole data bucket and returns it, and so does each item of such a group, although a state's data has at
  /// most 256 KiB.
  ///
  /// The state machine does what the flow does on one machine, with these differences: a failed attempt writes nothing;
  /// delays between attempts are whole seconds, at least one, and never those that an error asks for with
  /// `FlowRetryDelaying`; a task whose worker is lost is given to another one; a group that tolerates failures, or has
  /// an undo, tries all of its items; a failed branch of a parallel step that contains an undo doesn't cancel the
  /// others; a failure of a distributed group that tolerates none, and has no undo, reaches other undos without its
  /// reason; stopping an execution undoes nothing, and neither does its deadline. A required value that is missing ends
  /// the execution without undos: check its input with `validate(with:)` first, and write the values that a step
  /// declares to write.
  ///
  /// - Parameters:
  ///   - activity: The ARN of the activity that the workers poll.
  ///   - options: The time limits, the treatment of sensitive values, and the distributed groups.
  /// - Returns: The definition.
  /// - Throws: ``StateMachineExportError`` with everything that can't be exported, before anything is sent.
  public func amazonStatesLanguage(
    activity: String, options: StateMachineOptions = StateMachineOptions()
  ) throws(StateMachineExportError) -> StateMachineDefinition {
    let plan = plan
    var reasons = ExportCheck(plan: plan, activity: activity, options: options).reasons
    // A missing value may be in the execution's input.
    let problems = validate().filter { problem in
      problem.severity == .error && ![.missingData, .mismatchedData, .emptyFlow].contains(problem.code)
    }
    reasons += problems.map { problem in
      StateMachineExportError.Reason(path: problem.path, problem: problem.problem, remedy: problem.remedy)
    }
    guard reasons.isEmpty else { throw StateMachineExportError(flowName: name, reasons: reasons) }
    var writer = MachineWriter(plan, activity, options)
    let text = writer.machine().text
    if text.utf8.count > ExportCheck.largestDefinition {
      let reason = StateMachineExportError.Reason(
        path: FlowPath(name), problem: "its definition has \(text.utf8.count) bytes, of at most 1,048,576.",
        remedy: "Make several flows of it.")
      throw StateMachineExportError(flowName: name, reasons: [reason])
    }
    return StateMachineDefinition(flowName: name, text: text, steps: writer.steps)
  }
}
