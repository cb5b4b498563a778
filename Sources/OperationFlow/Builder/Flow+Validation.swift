extension Flow {
  /// Finds what is wrong with the flow before it runs: problems of every path, each with its place and its remedy.
  ///
  /// It goes by what steps declare: with ``FlowInput`` and ``FlowOutput``, with the traits ``StepTrait/reads(_:optional:)``,
  /// ``StepTrait/writes(_:)`` and ``StepTrait/writesNothing``, with typed keys and primary keys.
  ///
  /// A step that declares no output may write anything: behind a closure without `.writes` or `.writesNothing`, or an
  /// operation without a ``FlowOutput``, no missing or mistyped data is reported, so that there is no false alarm. A step
  /// that declares outputs should declare all that it writes. To see what a factory makes, and whether two of them make
  /// the same object, one operation of each factory is made and thrown away. The start of a run does so only for classes
  /// that declare something.
  ///
  /// ``start(with:)`` and ``run(with:)`` refuse a flow in which this finds errors; warnings stop nothing.
  ///
  /// - Parameter data: What the run's bucket will hold at first, over what the flow was set to begin with.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  public func validate(with data: [String: any Sendable] = [:]) -> [FlowProblem] {
    validate(with: startingData.merging(data))
  }

  /// Finds what is wrong with the flow before it runs with typed data.
  ///
  /// It does what ``validate(with:)`` does.
  ///
  /// - Parameter change: Changes what the run's bucket will hold at first; it begins with what the flow was set to begin with.
  /// - Returns: The problems, those of the flow as a whole first, then in the order of the steps.
  /// - Throws: What `change` throws.
  public func validate(_ change: (inout FlowData) throws -> Void) rethrows -> [FlowProblem] {
    validate(with: try startingData.changed(by: change))
  }

  private func validate(with data: FlowData) -> [FlowProblem] {
    let (blueprint, mayHoldMore) = state.withLock { ($0.finishedBlueprint(), $0.willStart != nil) }
    let facts = facts(of: blueprint, makesAll: true)
    return Validation(blueprint, facts, data: data.values, mayHoldMore: mayHoldMore).problems
  }

  /// What the flow is made of now: its steps with their names, paths, kinds and declared keys, as a value to read.
  public var blueprint: FlowBlueprint {
    let blueprint = state.withLock { $0.finishedBlueprint() }
    return FlowBlueprint(name: name, blueprint, facts(of: blueprint))
  }
}
