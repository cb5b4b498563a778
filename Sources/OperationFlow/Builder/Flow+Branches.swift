extension Flow {
  /// Joins the branches that operations began with `flowCase:`: steps that you add from here on run after any of them.
  ///
  /// - Returns: The flow.
  @discardableResult
  public func combine() -> Flow {
    state.withLock { $0.builder.combine() }
    return self
  }

  /// Adds branches and takes one of them, depending on a key's value; the flow continues after them.
  ///
  /// The key may hold any value that can be compared: a string, a number, `true` or `false`, or an enum. Branches can be
  /// nested.
  ///
  /// ```swift
  /// flow.cases(on: .target) {
  ///   $0.when("web") { $0.add(ResizeOp()).add(WatermarkOp()) }
  ///   $0.otherwise { $0.add(ResizeOp()) }
  /// }
  /// ```
  /// If no branch matches and there is no `otherwise`, the flow ends there, as a success. In a flow that is a step, or
  /// in a branch of a parallel step, only that part ends. A missing key, or a value of another type, matches no branch.
  ///
  /// A flow that you build for a branch contributes only its steps and the names that it marks as sensitive: set data
  /// on the whole flow, or in a step. If nothing was added to it, the flow is refused: see ``addNothing()``.
  ///
  /// - Parameters:
  ///   - key: The key to look at.
  ///   - traits: The step's name in problems, its weight in the progress, and its condition.
  ///   - build: Adds the branches.
  /// - Returns: The flow.
  @discardableResult
  public func cases<Value: Hashable>(
    on key: FlowKey<Value>, _ traits: StepTrait<FlowStep.Composite>..., branches build: (FlowCases<Value>) -> Void
  ) -> Flow {
    addCases(key, traits, build)
  }

  /// Adds branches on a string, which the compiler also finds for a key that is a literal.
  ///
  /// - Parameters:
  ///   - key: The key to look at.
  ///   - traits: The step's name in problems, its weight in the progress, and its condition.
  ///   - build: Adds the branches.
  /// - Returns: The flow.
  @_documentation(visibility: private) @discardableResult
  public func cases(
    on key: FlowKey<String>, _ traits: StepTrait<FlowStep.Composite>..., branches build: (FlowCases<String>) -> Void
  ) -> Flow {
    addCases(key, traits, build)
  }

  private func addCases<Value: Hashable>(
    _ key: FlowKey<Value>, _ traits: [StepTrait<FlowStep.Composite>], _ build: (FlowCases<Value>) -> Void
  ) -> Flow {
    let cases = FlowCases(key: key)
    build(cases)
    if key.isSensitive { initialData.markSensitive([key.name]) }
    let branches = cases.branches.map { ($0.condition, inner($0.flow)) }
    let missing = CaseValue.missing(from: cases.branches.flatMap(\.condition.values), of: Value.self, limit: 1)
    let options = StepOptions(traits)
    state.withLock { $0.builder.addCases(branches, options, coverAllValues: missing?.isEmpty ?? false) }
    return self
  }

  /// Declares that a branch does nothing on purpose; a branch to which nothing was added is refused.
  ///
  /// ```swift
  /// flow.cases(on: .target) {
  ///   $0.when("web") { $0.add(ResizeOp()) }
  ///   $0.otherwise { $0.addNothing() }
  /// }
  /// ```
  /// It changes nothing about a flow that has steps. You can call it from any thread.
  ///
  /// - Returns: The flow.
  @discardableResult
  public func addNothing() -> Flow {
    state.withLock { $0.builder.addNothing() }
    return self
  }

  /// The steps of a flow that was built for a branch.
  func inner(_ flow: Flow) -> InnerFlow {
    // A branch has no bucket of its own: what it marks as sensitive is sensitive in the whole run.
    initialData.markSensitive(flow.initialData.sensitiveNames)
    return InnerFlow(flow.state.withLock { $0.builder })
  }

  /// Adds another flow as a step: its steps share this flow's data bucket.
  ///
  /// The step does what the flow contains now. When the run reaches it, the values that the flow's own bucket was set
  /// to hold are written for the names that are missing. Its blocks and observers are not called. If no case matches in
  /// it, it ends, and this flow continues.
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - traits: Its name, its weight in the progress, its condition, and the keys that it reads and writes besides those of
  ///     its steps.
  /// - Returns: The flow.
  @discardableResult
  public func add(flow: Flow, _ traits: StepTrait<FlowStep.Composite>...) -> Flow {
    let (inner, initialData) = (InnerFlow(flow.state.withLock { $0.builder }), flow.initialData)
    let (data, sensitiveNames, options) = (initialData.values, initialData.sensitiveNames, StepOptions(traits))
    state.withLock {
      $0.builder.addFlow(flow.name, inner, data: data, sensitiveNames: sensitiveNames, options)
    }
    return self
  }
}
