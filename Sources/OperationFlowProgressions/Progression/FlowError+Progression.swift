import OperationFlow

extension FlowError {
  /// A progression's type implements no way to perform a step.
  static func noStep(of type: Any.Type) -> FlowError {
    FlowError(
      .notImplemented, "the progression \(TypeName.of(type)) does not say how it goes on to its next step",
      remedy: "Write updateOrDeferNext(), next() or advance() in it.")
  }

  /// A progression was stopped by its progress closure.
  @usableFromInline
  static let stoppedByProgress = FlowError(
    .cancelled, "the progression was cancelled: its progress closure returned false",
    remedy: "Return true to let it go on; the step that the closure was given can be run later.")

  /// The task that awaits a progression's result was cancelled.
  static let stoppedWithTask = FlowError(
    .cancelled, "the progression was cancelled with the task that awaits its result",
    remedy: "Run it again, from its first step, if the result is still wanted.")

  /// A future's callback was released without a call.
  static let droppedFuture = FlowError(
    .neverFinished, "a future's callback was dropped without being called, so it can have no result any more",
    remedy: "Keep the callback until it is called, and call it on every path, errors included.")

  /// A progression was removed from its production line before it started.
  static let clearedFromLine = FlowError(
    .cancelled, "the progression was taken out of its production line before it started",
    remedy: "Add it again if the work is still wanted.")
}
