extension Flow {
  /// Joins the branches that operations began with `flowCase:`: steps that you add later run after any of the branches.
  ///
  /// - Returns: The flow.
  @discardableResult
  public func combine() -> Flow {
    state.withLock { $0.builder.combine() }
    return self
  }

  /// Adds branches, of which a run chooses one by the value of a key; the flow continues after them.
  ///
  /// If no branch matches and there is no `otherwise`, the flow, or the inner flow or parallel branch, ends there as a
  /// success. A missing key, or a value of another type, matches no branch. A branch contributes only its steps and the
  /// names that it marks as sensitive. An empty branch is refused: see ``addNothing()`` and <doc:CasesAndBranches>.
  ///
  /// - Parameters:
  ///   - key: The key to read.
  ///   - traits: The step's name in problems, its weight in the progress, and its condition.
  ///   - build: A closure that adds the branches.
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
    let options = StepOptions.of(traits)
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
    // A branch has no bucket of its own: a name that it marks as sensitive is sensitive in the whole run.
    initialData.markSensitive(flow.initialData.sensitiveNames)
    return flow.asPart(ignoring: Set(flow.startingData.values.keys))
  }

  /// Returns the steps of the flow as a part of another flow, with the options and names that have no effect there.
  private func asPart(ignoring names: Set<String> = []) -> InnerFlow {
    var (builder, ignored) = state.withLock { ($0.builder, $0.runOptions) }
    if !names.isEmpty { ignored.append(.data) }
    if hasLogged { ignored.append(.log) }
    if !ignored.isEmpty { builder.recordIgnored(ignored, names: names) }
    return InnerFlow(builder)
  }

  /// Adds another flow as a step: its steps share this flow's data bucket.
  ///
  /// The step contains the inner flow's present steps. The values of the inner flow's own bucket are written for names
  /// that are missing when the run reaches the step. The names that the inner flow marks as sensitive are sensitive.
  /// Its blocks, observers, logged lines and options of a whole run, such as a deadline, have no effect: this flow's
  /// do, and ``validate(with:)`` warns about the others.
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
    let options = StepOptions.of(traits)
    state.withLock { $0.builder.addFlow(flow.name, inner, data: data, sensitiveNames: sensitiveNames, options) }
    return self
  }
}

/// Collects the branches of ``Flow/cases(on:_:branches:)``.
public final class FlowCases<Value: Hashable & Sendable>: Sendable {
  private let key: FlowKey<Value>
  let branches = Locked([(condition: FlowCase, flow: Flow)]())

  init(key: FlowKey<Value>) { self.key = key }

  /// Adds a branch that is chosen when the key equals a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - build: A closure that adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func when(_ value: Value, _ build: (Flow) -> Void) -> FlowCases {
    add(FlowCase(key: key, values: [value]), build)
  }

  /// Adds a branch that is chosen when the key equals one of several values.
  ///
  /// - Parameters:
  ///   - value: One of the values.
  ///   - second: Another one.
  ///   - others: More values.
  ///   - build: A closure that adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func when(_ value: Value, _ second: Value, _ others: Value..., steps build: (Flow) -> Void) -> FlowCases {
    add(FlowCase(key: key, values: [value, second] + others), build)
  }

  /// Adds the branch that is chosen when no other branch matches, wherever you add it among them.
  ///
  /// - Parameter build: A closure that adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func otherwise(_ build: (Flow) -> Void) -> FlowCases {
    add(.otherwise, build)
  }

  private func add(_ condition: FlowCase, _ build: (Flow) -> Void) -> FlowCases {
    let flow = Flow(condition.text)
    build(flow)
    branches.withLock { $0.append((condition, flow)) }
    return self
  }
}

extension Flow {
  /// Adds branches that run at the same time; the flow continues when all of them have ended.
  ///
  /// If a step of a branch fails, the other branches are cancelled, and the flow fails with the first error. A branch
  /// contributes only its steps and the names that it marks as sensitive. All branches share the data bucket, so each
  /// branch needs its own keys to write to. The flow is refused if the step has no branches, two branches of one name,
  /// or an empty branch.
  ///
  /// - Parameters:
  ///   - name: The step's name in summaries.
  ///   - traits: Its weight and condition, and the keys that it reads and writes besides those of its steps.
  ///   - build: A closure that adds the branches.
  /// - Returns: The flow.
  @discardableResult
  public func parallel(
    _ name: String = "Parallel", _ traits: StepTrait<FlowStep.Composite>..., branches build: (FlowBranches) -> Void
  ) -> Flow {
    let collected = FlowBranches()
    build(collected)
    let branches = collected.branches.withLock { $0 }.map { ($0.name, inner($0.flow)) }
    let options = StepOptions.of(traits)
    state.withLock { $0.builder.addParallel(name, branches, options) }
    return self
  }
}

/// Collects the branches of ``Flow/parallel(_:_:branches:)``.
public final class FlowBranches: Sendable {
  package let branches = Locked([(name: String, flow: Flow)]())

  /// Adds a branch that runs at the same time as the others.
  ///
  /// - Parameters:
  ///   - name: The branch's name in paths and problems; each branch of a step needs a name of its own.
  ///   - build: A closure that adds the branch's steps, which run one after the other.
  /// - Returns: The branches.
  @discardableResult
  public func branch(_ name: String, _ build: (Flow) -> Void) -> FlowBranches {
    let flow = Flow(name)
    build(flow)
    branches.withLock { $0.append((name, flow)) }
    return self
  }
}

extension Flow {
  /// Adds steps that run at the end of a run, whatever happened: after a success, a failure and a cancellation.
  ///
  /// The steps run after the undos, and nothing cancels or pauses them. The steps of a branch or an inner flow run if
  /// that part was started. If one step fails, the others in the same closure don't run, and a run that would have
  /// succeeded fails; ``FlowReport/alwaysFailures`` has all errors. The steps don't count in the progress. See
  /// <doc:UndoingAndCleaningUp>.
  ///
  /// - Parameters:
  ///   - name: The name of the steps as a whole, in summaries and paths.
  ///   - build: A closure that adds the steps, which run one after the other. The flow is refused if it adds none.
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
