import OperationFlow

extension FlowTaskFailure {
  /// Creates the failure of a task's work.
  ///
  /// Sensitive values are removed from the cause, unless the flow was exported with sensitive values in plain text.
  init(_ error: any Error, _ task: FlowTask, mayBeRetried: Bool, secrets: TaskSecrets) {
    let item = task.index.map { " \($0.itemNumber)" } ?? ""
    let secrets = task.sensitiveValues == .plain ? TaskSecrets() : secrets
    self.init(
      cause: "\(task.step)\(item), attempt \(task.knownAttempt): " + secrets.describe(error: error, limit: 8_000),
      mayBeRetried: mayBeRetried)
  }

  static func cancelled(_ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      stopped:
        "\(task.step): it was cancelled, because its worker stops or its execution has ended. Retry it, or start "
        + "the execution again.")
  }

  static func cancelledItself(_ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      cause: "\(task.step): it cancelled itself. Throw another error than CancellationError, or finish with one, if "
        + "another attempt may help.", mayBeRetried: false)
  }

  static func otherFlow(_ task: FlowTask, _ name: String) -> FlowTaskFailure {
    FlowTaskFailure(
      cause: "the task is one of the flow \"\(task.flow)\", but the worker has the flow \"\(name)\". Give each flow an "
        + "activity of its own.", mayBeRetried: false)
  }

  static func unknownStep(_ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      cause: "the worker's flow has no step at \(task.step). Let the worker have the flow that was exported, or export "
        + "the flow that it has.", mayBeRetried: false)
  }

  static func undeclaredWrite(_ name: String, _ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      cause: "\(task.step): it wrote <\(name)> into the data bucket, which it doesn't declare, so that the value would "
        + "be lost. Add .writes with all keys that it writes, or leave out .writes and .writesNothing.",
      mayBeRetried: false)
  }

  static func reservedWrite(_ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      cause: "\(task.step): it wrote <\(DataPath.reserved)>, under which executions keep data of the library's own, so "
        + "that the value would be lost. Write it under another name.",
      mayBeRetried: false)
  }

  static func sensitiveWrite(_ name: String, _ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      cause:
        "\(task.step): it wrote <\(name)>, which is sensitive, and would stand in the history of executions in plain "
        + "text. Declare it with .writes, and say with sensitiveValues what becomes of it when the flow is exported.",
      mayBeRetried: false)
  }

  static func itemWrote(_ name: String, _ task: FlowTask) -> FlowTaskFailure {
    FlowTaskFailure(
      cause:
        "\(task.step): an item wrote <\(name)> into the data bucket, which items of an exported group don't share. "
        + "Return what it makes as its output.", mayBeRetried: false)
  }
}
