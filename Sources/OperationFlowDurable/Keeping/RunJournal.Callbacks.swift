import OperationFlow
import OperationFlowStorage

extension RunJournal {
  /// The closures that connect the journal with its run.
  ///
  /// They are members of a structure, because a closure that is itself the value of a generic type is wrapped once more
  /// each time it is read.
  struct Callbacks: Sendable {
    var whenErrorIsStored: (@Sendable (any Error) -> any Error)?
    var whenFailed: (@Sendable (any Error) -> Void)?
    var whenLeft: (@Sendable (FlowError, FlowEvent.Source?) -> Void)?
    var whenWarned: (@Sendable (String) -> Void)?
  }
}
