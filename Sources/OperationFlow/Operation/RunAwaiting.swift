/// What awaits the `run()` of an operation, and can cancel it: no closure, which would take memory for each operation.
protocol RunAwaiting: AnyObject, Sendable {
  func cancelRun(_ ticket: WorkTicket?)
}

final class RunTaskHandle: RunAwaiting {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancelRun(_ ticket: WorkTicket?) { task.cancel() }
}
