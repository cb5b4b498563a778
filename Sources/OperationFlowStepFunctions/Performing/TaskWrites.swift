import OperationFlow

/// Collects a task's writes to its bucket: the last value of each name, `nil` if the name was removed.
final class TaskWrites: WriteKeeper {
  private let state = Locked([String: (any Sendable)?]())

  func didWrite(_ value: (any Sendable)?, named name: String, by writer: FlowEvent.Source?) {
    state.withLock { _ = $0.updateValue(value, forKey: name) }
  }

  func didRefuse(_ error: FlowError, to writer: FlowEvent.Source?) -> Bool { false }

  func holdsRestored(_ name: String) -> Bool { false }

  func didMisread(_ misread: Misread, by reader: FlowEvent.Source?) {}

  /// The writes so far.
  var values: [String: (any Sendable)?] { state.withLock { $0 } }
}
