/// The kind of a step: the work that it does, or the steps that it contains.
///
/// Later versions may add more, so a `switch` over them needs a `default`.
public enum FlowStepKind: Sendable, Hashable {
  /// The step runs an operation of a class, or an operation created by a type with that name.
  case operation(type: String)
  /// The step runs a closure.
  case closure(isAsynchronous: Bool)
  /// The step runs some work for each item; a stream's items are taken as there is room for them.
  case group(width: Int, tolerance: FlowTolerance, isStream: Bool)
  /// The step takes one of several branches.
  case cases
  /// The step runs the steps of another flow.
  case flow
  /// The step runs several branches at once.
  case parallel
  /// The steps within it run at the end of the run, whatever happened.
  case always
}
