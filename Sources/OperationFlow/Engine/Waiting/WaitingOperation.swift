import Foundation

/// An operation that does nothing but wait for something outside its run, such as a date or a signal.
///
/// It holds no thread and no task meanwhile.
package protocol WaitingOperation: FlowOperation {
  /// What it waits for.
  var reason: FlowRun.Waiting.Reason { get }
}

/// Where an operation runs.
package struct RunPlace: Sendable {
  package let engine: RunEngine
  /// The step, by its number in the flow.
  package let step: Int
  /// The number of the attempt, counted from 1.
  package let attempt: Int
  /// The name of the operation in its run.
  package let name: String
}

extension FlowOperation {
  /// Where the operation runs; `nil` unless it is at work in a flow.
  package final var place: RunPlace? {
    guard let attachment = withLifecycle({ $0.attachment }), let engine = attachment.host as? RunEngine else {
      return nil
    }
    let source = attachment.source
    return RunPlace(engine: engine, step: Int(source.step), attempt: source.attempt, name: source.name)
  }
}

extension FlowRun {
  /// What the run keeps for its operations that wait; `nil` if no step of it waits, or if it has ended.
  package var waits: (any RunWaits)? { engine?.waits }

  /// The engine; `nil` once the run has ended.
  package var openEngine: RunEngine? { engine }
}
