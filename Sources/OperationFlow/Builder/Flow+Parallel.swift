extension Flow {
  /// Adds branches that run at the same time; the flow continues when all of them have ended.
  ///
  /// If a step of a branch fails, the other branches are cancelled, and the flow fails with the first error. A branch
  /// contributes only its steps and the names that it marks as sensitive. All branches share the data bucket: each needs
  /// keys of its own to write to. A flow without branches, with two of the same name, or with an empty one is refused.
  ///
  /// - Parameters:
  ///   - name: The step's name in summaries.
  ///   - traits: Its weight and condition, and the keys that it reads and writes besides those of its steps.
  ///   - build: Adds the branches.
  /// - Returns: The flow.
  @discardableResult
  public func parallel(
    _ name: String = "Parallel", _ traits: StepTrait<FlowStep.Composite>..., branches build: (FlowBranches) -> Void
  ) -> Flow {
    let collected = FlowBranches()
    build(collected)
    let branches = collected.branches.withLock { $0 }.map { ($0.name, inner($0.flow)) }
    let options = StepOptions(traits)
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
  ///   - build: Adds the branch's steps, which run one after the other.
  /// - Returns: The branches.
  @discardableResult
  public func branch(_ name: String, _ build: (Flow) -> Void) -> FlowBranches {
    let flow = Flow(name)
    build(flow)
    branches.withLock { $0.append((name, flow)) }
    return self
  }
}
