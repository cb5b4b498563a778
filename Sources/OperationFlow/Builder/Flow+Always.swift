extension Flow {
  /// Adds steps that run at the end of a run, whatever happened: after a success, a failure and a cancellation.
  ///
  /// They run after the undos, and nothing cancels or pauses them. Those of a branch or an inner flow run if that part has
  /// begun. If one fails, the others in the same closure don't run, and a run that would have succeeded fails;
  /// ``FlowReport/alwaysFailures`` has all errors. They don't count in the progress. See <doc:UndoingAndCleaningUp>.
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
