extension Flow {
  /// Joins the branches that were added with `flowCase:`: steps that you add from here on run after any of them.
  ///
  /// - Returns: The flow.
  @discardableResult
  public func combine() -> Flow {
    state.withLock { $0.builder.combine() }
    return self
  }

  /// Adds branches of which the run takes one, depending on a key's value; the flow continues after them.
  ///
  /// Branches can be nested.
  ///
  /// ```swift
  /// flow.cases(on: .target) {
  ///   $0.when("web") { $0.add(ResizeOp()).add(WatermarkOp()) }
  ///   $0.otherwise { $0.add(ResizeOp()) }
  /// }
  /// ```
  /// If no branch matches and there is no `otherwise`, the whole flow ends there, as a success. A flow that you build
  /// for a branch contributes only its steps and the names that it marks as sensitive: set data on the whole flow, or
  /// in a step.
  ///
  /// - Parameters:
  ///   - key: The key to look at.
  ///   - traits: The step's name in problems, and its weight in the progress.
  ///   - build: Adds the branches.
  /// - Returns: The flow.
  @discardableResult
  public func cases(
    on key: FlowKey<String>, _ traits: StepTrait<Repeatable>..., branches build: (FlowCases) -> Void
  ) -> Flow {
    let cases = FlowCases(key: key)
    build(cases)
    if key.isSensitive { initialData.markSensitive(CollectionOfOne(key.name)) }
    // A branch has no bucket of its own: what it marks as sensitive is sensitive in the whole run.
    for branch in cases.branches { initialData.markSensitive(branch.flow.initialData.sensitiveNames) }
    let branches = cases.branches.map { ($0.condition, $0.flow.snapshot().inner) }
    let options = StepOptions(traits)
    state.withLock { $0.builder.addCases(branches, options) }
    return self
  }

  /// Adds another flow as a step: its steps share this flow's data bucket.
  ///
  /// The step does what the flow contains now. When the run reaches it, the values that the flow's own bucket was set
  /// to hold are written for the names that are missing. Its blocks and observers are not called. If no case matches in
  /// it, it ends, and this flow continues.
  ///
  /// - Parameters:
  ///   - flow: The flow.
  ///   - traits: Its name, its weight in the progress, and the keys that it reads and writes besides those of its
  ///     steps.
  ///   - flowCase: Starts a branch that is taken when the key equals the value.
  /// - Returns: The flow.
  @discardableResult
  public func add(flow: Flow, _ traits: StepTrait<Repeatable>..., flowCase: FlowCase? = nil) -> Flow {
    let snapshot = flow.snapshot()
    let options = StepOptions(traits)
    state.withLock { $0.builder.addFlow(snapshot, condition: flowCase, options) }
    return self
  }

  func snapshot() -> FlowSnapshot {
    FlowSnapshot(
      name: name, inner: InnerFlow(state.withLock { $0.builder }), data: initialData.values,
      sensitiveNames: initialData.sensitiveNames)
  }
}

/// Collects the branches of ``Flow/cases(on:_:branches:)``.
public final class FlowCases: Sendable {
  let key: FlowKey<String>
  private let collected = Locked([(condition: FlowCase, flow: Flow)]())

  init(key: FlowKey<String>) { self.key = key }

  var branches: [(condition: FlowCase, flow: Flow)] { collected.withLock { $0 } }

  /// Adds a branch that is taken when the key equals a value.
  ///
  /// - Parameters:
  ///   - value: The value, a string.
  ///   - build: Adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func when(_ value: String, _ build: (Flow) -> Void) -> FlowCases {
    add(FlowCase(key: key, value: value), build)
  }

  /// Adds the branch that is taken when no other branch matches, wherever you add it among them.
  ///
  /// - Parameter build: Adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func otherwise(_ build: (Flow) -> Void) -> FlowCases {
    add(.otherwise, build)
  }

  private func add(_ condition: FlowCase, _ build: (Flow) -> Void) -> FlowCases {
    let flow = Flow(condition.text)
    build(flow)
    collected.withLock { $0.append((condition, flow)) }
    return self
  }
}
