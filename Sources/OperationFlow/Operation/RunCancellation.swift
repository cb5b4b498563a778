/// What awaits the `run()` of an operation, and can cancel it.
protocol RunAwaiting: AnyObject, Sendable {
  /// Cancels some work, unless it has ended.
  func cancelRun(_ ticket: WorkTicket?)
}

/// Cancels the `run()` of an operation: no closure, which would take memory of its own for each operation.
struct RunCancellation: Sendable {
  private let awaiting: any RunAwaiting
  private let ticket: WorkTicket?

  init(of ticket: WorkTicket? = nil, by awaiting: any RunAwaiting) {
    (self.awaiting, self.ticket) = (awaiting, ticket)
  }

  func callAsFunction() { awaiting.cancelRun(ticket) }
}

/// A task that does nothing but await a `run()`.
final class RunTaskHandle: RunAwaiting {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  func cancelRun(_ ticket: WorkTicket?) { task.cancel() }
}
