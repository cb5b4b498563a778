extension Flow {
  /// Adds steps that run at the end of a run, whatever happened: after a success, a failure and a cancellation.
  ///
  /// They run once everything that was started has ended, and after the undos. Their ``FlowContext/ending`` says how the
  /// run has ended so far.
  ///
  /// ```swift
  /// flow.always { $0.add(CleanUpOp()) }
  /// ```
  /// Cancelling the run and its deadline don't reach them, and a pause doesn't hold them up: give steps that may hang a
  /// timeout. If one fails, the others in the same closure don't run; those of other closures do. A run that would have
  /// succeeded fails with that error, and any other run keeps its own; ``FlowReport/alwaysFailures`` has all of them.
  /// They aren't undone themselves, and don't count in the progress.
  ///
  /// In a flow that is a step, in a case or in a parallel branch, they also run at the end of the whole run, if that
  /// flow, case or branch has begun; the one that has begun last comes first. They don't run if the flow is refused, or
  /// cancelled before its first step.
  ///
  /// - Parameters:
  ///   - name: The name of all of them together, in summaries and paths.
  ///   - build: Adds the steps, which run one after the other. The flow is refused if it adds none.
  /// - Returns: The flow.
  @discardableResult
  public func always(_ name: String = "Always", _ build: (Flow) -> Void) -> Flow {
    let flow = Flow(name)
    build(flow)
    let steps = inner(flow)
    state.withLock { $0.builder.addAlways(name, steps) }
    return self
  }
}
