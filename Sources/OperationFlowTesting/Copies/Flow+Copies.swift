import OperationFlow

// The changes that tests make to a flow. Each is made to a copy, so that the flow itself stays as it is.
extension Flow {
  /// Returns a flow with the same data, blocks and options, perhaps with other steps, and no run.
  func copy(_ blueprint: Blueprint? = nil, _ change: (inout State) -> Void = { _ in }) -> Flow {
    let (copy, source) = (Flow(name), state.withLock { $0 })
    copy.initialData.markSensitive(initialData.sensitiveNames)
    for (name, value) in initialData.values { copy.initialData.replace(value, named: name) }
    copy.state.withLock { state in
      let data = state.initialData
      state = source
      (state.run, state.initialData) = (nil, data)
      if let blueprint { state.builder = BlueprintBuilder(blueprint) }
      change(&state)
    }
    return copy
  }

  /// Returns a copy whose runs ask a probe about their work; the probe may ask the earlier one.
  func probed(by make: (_ earlier: (any RunProbe)?) -> any RunProbe) -> Flow {
    copy { state in state.settings.probe = make(state.settings.probe) }
  }

  /// Returns a copy with a closure in the place of a step, and of everything within the step.
  func replacing(
    step path: FlowPath, _ body: @escaping @Sendable (FlowContext) async throws -> Void
  ) -> Flow {
    replacing(path, with: .closure(.async(body)))
  }

  /// Returns a copy with a synchronous closure in the place of a step, and of everything within the step.
  func replacing(step path: FlowPath, now body: @escaping @Sendable (FlowContext) throws -> Void) -> Flow {
    replacing(path, with: .closure(.sync(body)))
  }

  /// Returns a copy with a closure as the work of each of a group's items; `nil` if the step is no group.
  func replacingItems(
    of path: FlowPath,
    _ body: @escaping @Sendable (_ item: any Sendable, FlowContext) async throws -> (any Sendable)?
  ) -> Flow? {
    group(at: path).map { replacing(path, with: .group($0.with(body: .asyncClosure(body)))) }
  }

  /// Returns a copy with a synchronous closure as the work of each of a group's items; `nil` if the step is no group.
  func replacingItems(
    of path: FlowPath, now body: @escaping @Sendable (_ item: any Sendable, FlowContext) throws -> (any Sendable)?
  ) -> Flow? {
    group(at: path).map { replacing(path, with: .group($0.with(body: .closure(body)))) }
  }

  /// Returns a flow of one step of this flow, with its options and without this flow's data; `nil` if there is no such
  /// step.
  ///
  /// If there are items, the step has to be a group, and the items replace its own.
  func alone(_ path: FlowPath, items makeItems: ((_ input: StepPort?) -> FlowGroupItems)? = nil) -> Flow? {
    let source = makeLaunch().blueprint
    guard let id = path.node, source.steps.indices.contains(id) else { return nil }
    var step = source.steps[id]
    if let makeItems {
      guard let group = group(at: path) else { return nil }
      let items = makeItems(group.input)
      step.kind = .group(group.with(source: .items { _ in items }))
      // The handlers of an item's result expect the results of the whole group.
      step.changeOptions { $0.results?.handlers = [] }
    }
    let blueprint = source.rebuilt { steps, blocks in
      steps[id] = step
      blocks[Blueprint.root] = Blueprint.Block(steps: [id])
    }
    let alone = copy(blueprint) { state in (state.willStart, state.didFinish) = (nil, nil) }
    alone.dataBucket = [:]
    return alone
  }

  /// Returns a copy without the steps before a step, or without those after it, on every level that contains the step.
  func leavingOut(before isBefore: Bool, _ path: FlowPath) -> Flow {
    let launch = makeLaunch()
    return copy(
      path.node.map { launch.blueprint.leavingOut(before: isBefore, $0, launch.facts.paths) } ?? launch.blueprint)
  }

  private func group(at path: FlowPath) -> GroupStep? {
    let steps = makeLaunch().blueprint.steps
    guard let id = path.node, steps.indices.contains(id), case .group(let group) = steps[id].kind else { return nil }
    return group
  }

  private func replacing(_ path: FlowPath, with kind: Blueprint.Step.Kind) -> Flow {
    let blueprint = makeLaunch().blueprint
    guard let id = path.node, blueprint.steps.indices.contains(id) else { return copy(blueprint) }
    return copy(blueprint.rebuilt { steps, _ in steps[id].kind = kind })
  }
}

extension Blueprint {
  /// Returns a copy with changes; steps that no block reaches stay in their places as closures that never run.
  package func rebuilt(_ change: (_ steps: inout [Step], _ blocks: inout [Block]) -> Void) -> Blueprint {
    var (steps, blocks) = (steps, blocks)
    change(&steps, &blocks)
    var (unreached, reachedBlocks) = (Set(steps.indices), Array(repeating: Block(), count: blocks.count))
    var waiting = [Blueprint.root]
    while let block = waiting.popLast() {
      reachedBlocks[block] = blocks[block]
      unreached.subtract(blocks[block].steps)
      waiting += blocks[block].steps.flatMap { steps[$0].innerBlocks } + blocks[block].always
    }
    for id in unreached { steps[id].clear() }
    return Blueprint(steps, reachedBlocks)
  }

  /// Returns a copy without the steps before a step, or after it, in its block and in those of all steps around it.
  fileprivate func leavingOut(before isBefore: Bool, _ id: StepID, _ paths: PathTable) -> Blueprint {
    rebuilt { _, blocks in
      var next: StepID? = id
      while let step = next {
        for block in blocks.indices {
          guard let index = blocks[block].steps.firstIndex(of: step) else { continue }
          if isBefore {
            blocks[block].omittedBeforeCount += index
            blocks[block].steps.removeFirst(index)
            blocks.leaveOut(beforeAlways: block)
          } else {
            blocks[block].omittedAfterCount += blocks[block].steps.count - index - 1
            blocks[block].steps.removeSubrange((index + 1)...)
            blocks.leaveOut(afterAlways: block)
          }
        }
        next = paths.step(around: step)
      }
    }
  }
}

extension [Blueprint.Block] {
  /// Leaves out the work before a block, if the block always runs: its owner's steps, and earlier blocks that always
  /// run.
  fileprivate mutating func leaveOut(beforeAlways block: Blueprint.BlockID) {
    for owner in indices {
      guard let place = self[owner].always.firstIndex(of: block) else { continue }
      self[owner].omittedBeforeCount += self[owner].steps.count + place
      self[owner].steps = []
      self[owner].always.removeFirst(place)
    }
  }

  /// Leaves out the later blocks that always run, if a block always runs itself.
  fileprivate mutating func leaveOut(afterAlways block: Blueprint.BlockID) {
    for owner in indices {
      guard let place = self[owner].always.firstIndex(of: block) else { continue }
      self[owner].always.removeSubrange((place + 1)...)
    }
  }
}
