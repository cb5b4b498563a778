extension Flow {
  /// Finds what is wrong with the flow before it runs: problems of every path, each with its place and its remedy.
  ///
  /// It goes by what steps declare with ``FlowInput`` and ``FlowOutput``, typed keys and primary keys. Of a step that
  /// declares no output nothing is assumed: it may write anything, so there is no false alarm. An
  /// operation that declares outputs should declare all that it writes. Of a factory whose class declares something, one
  /// operation is made to see it, and thrown away; that happens at the start of a run, too.
  ///
  /// ``start(with:)`` and ``run(with:)`` refuse a flow in which this finds errors; warnings stop nothing.
  ///
  /// - Parameter data: What the run's bucket will hold at first, over what the flow was set to begin with.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  public func validate(with data: [String: any Sendable] = [:]) -> [FlowProblem] {
    let (blueprint, mayHoldMore) = state.withLock { ($0.builder.blueprint, $0.willStart != nil) }
    return Validation(
      blueprint, ports: facts(of: blueprint).ports, data: initialData.values.merging(data) { $1 },
      mayHoldMore: mayHoldMore
    ).problems
  }
}
