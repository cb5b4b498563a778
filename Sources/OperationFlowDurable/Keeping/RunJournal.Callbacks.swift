import OperationFlow
import OperationFlowStorage

extension RunJournal {
  /// Whom it asks and tells.
  ///
  /// A function that is itself the value of a generic type is wrapped once more each time it is read, so these aren't.
  struct Callbacks: Sendable {
    var whenErrorIsStored: (@Sendable (any Error) -> any Error)?
    var whenFailed: (@Sendable (any Error) -> Void)?
    var whenLeft: (@Sendable (FlowError, FlowEvent.Source?) -> Void)?
    var whenWarned: (@Sendable (String) -> Void)?
  }
}
