import Foundation

/// The part of claimed work that a cancel reaches.
enum Cancellable: Sendable {
  case nothing
  case operation(FlowOperation)
  /// An operation that has dependencies of its own, and isn't started before they have finished.
  case waiting(FlowOperation, starter: Operation)
  /// An operation that never said that it ends later, and has to be freed when nothing else holds it.
  case loose(WeakOperation)
  case task(Task<Void, Never>)
  /// Work that a lane does, which may do other work by the time that this is cancelled.
  case lane(TaskLane, WorkTicket)

  var operation: FlowOperation? {
    switch self {
    case .operation(let operation), .waiting(let operation, _): operation
    case .loose(let reference): reference.operation
    case .nothing, .task, .lane: nil
    }
  }

  /// True if it waits for operations of flows, which are work of runs themselves.
  var waitsForOperations: Bool {
    guard case .waiting(let operation, _) = self else { return false }
    let awaited = operation.dependencies.filter { !$0.isFinished }
    return !awaited.isEmpty && awaited.allSatisfy { $0 is FlowOperation }
  }

  /// Cancels what the library can cancel alone; an operation that is returned is to be told by `callCancel()`.
  ///
  /// That is a call of user code, which may never return, so it comes last.
  func stop(_ bucket: DataBucket) -> FlowOperation? {
    switch self {
    case .task(let task): task.cancel()
    case .lane(let lane, let ticket): lane.cancelRun(ticket)
    case .waiting: endUnstarted(bucket)
    case .operation, .loose: if let operation, operation.stop() { return operation }
    case .nothing: break
    }
    return nil
  }

  /// What waits for others ends now, without doing its work: as cancelled, or with an error.
  func endUnstarted(_ bucket: DataBucket, _ error: (any Error)? = nil) {
    guard case .waiting(let operation, let starter) = self else { return }
    operation.discard(bucket, error)
    for dependency in starter.dependencies { starter.removeDependency(dependency) }
    starter.cancel()
  }
}
