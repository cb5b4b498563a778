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
  /// If no branch matches and there is no `otherwise`, the flow, or the inner flow or parallel branch, ends there as a
  /// success. A missing key, or a value of another type, matches no branch. A branch contributes only its steps and the
  /// names that it marks as sensitive. An empty one is refused: see ``addNothing()`` and <doc:CasesAndBranches>.
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
    let collected = cases.branches.withLock { $0 }
    let branches = collected.map { ($0.condition, inner($0.flow)) }
    let missing = CaseValue.missing(from: Set(collected.flatMap(\.condition.values)), of: Value.self)
    let options = StepOptions(traits)
    state.withLock { $0.builder.addCases(branches, options, missing: missing) }
    return self
  }

  /// Declares that a branch does nothing on purpose, as in `$0.otherwise { $0.addNothing() }`.
  ///
  /// - Returns: The flow.
  @discardableResult
  public func addNothing() -> Flow {
    state.withLock { $0.builder.addNothing() }
    return self
  }

  func inner(_ flow: Flow) -> InnerFlow {
    // A branch has no bucket of its own: what it marks as sensitive is sensitive in the whole run.
    initialData.markSensitive(flow.initialData.sensitiveNames)
    return flow.asPart(ignoring: flow.startingData.values.isEmpty ? [] : ["set(_:to:)"])
  }

  /// What the flow contains now, as a part of another flow, with what it has that has no effect there.
  private func asPart(ignoring options: [String] = []) -> InnerFlow {
    var (builder, ignored) = state.withLock { ($0.builder, $0.runOptions) }
    ignored += options
    if !ignored.isEmpty { builder.noteIgnored(ignored) }
    return InnerFlow(builder)
  }

  /// Adds another flow as a step: its steps share this flow's data bucket.
  ///
  /// The step does what the flow contains now. Values of the flow's own bucket are written for the names that are missing
  /// when the run reaches it, and the names that it marks as sensitive are sensitive. Its blocks, observers and other
  /// options of a whole run, such as a deadline, don't count: this flow's do, and ``validate(with:)`` warns of them.
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - traits: Its name, weight and condition, and the keys that it reads and writes besides those of its steps.
  /// - Returns: The flow.
  @discardableResult
  public func add(flow: Flow, _ traits: StepTrait<FlowStep.Composite>...) -> Flow {
    let inner = flow.asPart()
    let initialData = flow.initialData
    let data = initialData.values
    let sensitiveNames = initialData.sensitiveNames
    let options = StepOptions(traits)
    state.withLock { $0.builder.addFlow(flow.name, inner, data: data, sensitiveNames: sensitiveNames, options) }
    return self
  }
}
