import OperationFlow

extension Launch {
  /// The shape of each step, on which the entries of a journal depend; it contains no value that records hide.
  var shape: [StepShape] { blueprint.shape(shownFacts.paths) }
}

extension Blueprint {
  /// Returns the shape of each step, in the blueprint's order: with the same shapes, a journal's entries mean the same.
  ///
  /// Closures, widths, weights, delays and times may change between two processes, so they aren't part of a shape; the
  /// signal that a step waits for is part of it.
  fileprivate func shape(_ paths: PathTable) -> [StepShape] {
    var owners = [ShapeBlock](repeating: .root, count: blocks.count)
    // The nodes of branches follow those of the steps, in the order of the steps.
    var branchNode = steps.count
    var branchNames: [StepID: String] = [:]
    for (id, step) in steps.enumerated() {
      let inner = step.innerBlocks
      if inner.isEmpty { continue }
      for (branch, block) in inner.enumerated() { owners[block] = ShapeBlock(owner: id, branch: branch) }
      if case .flow = step.kind { continue }
      branchNames[id] = inner.indices.map { paths.name(of: branchNode + $0) }.joined(separator: " | ")
      branchNode += inner.count
    }
    var places = [(block: ShapeBlock, isAtEnd: Bool)](repeating: (.root, false), count: steps.count)
    for (block, owner) in zip(blocks, owners) {
      for step in block.steps { places[step] = (owner, false) }
    }
    for (block, owner) in zip(blocks, owners) {
      for wrapper in block.always { for step in blocks[wrapper].steps { places[step] = (owner, true) } }
    }
    return steps.enumerated().map { id, step in
      let kind = step.shapeOfKind(branchNames[id] ?? "none")
      let traits = step.shapeOfTraits.reduce(kind) { "\($0), \($1)" }
      let wait = step.wait
      return StepShape(
        path: wait?.path(paths.text(of: id)) ?? paths.text(of: id), traits: traits, block: places[id].block,
        isAtEnd: places[id].isAtEnd, awaited: wait?.awaited)
    }
  }
}

extension StepWait {
  /// The time, date or signal that the step waits for, in words; the length of the wait isn't part of them.
  fileprivate var awaited: String {
    switch kind {
    case .time: "waits for a time"
    case .date: "waits until a date"
    case .keyDate(let key): "waits until the date of \(key.name)"
    case .signal(let signal): StepShape.awaitingSignal + signal.name
    }
  }

  /// Returns the path for the step's shape, without the time if that is the step's name, because a time may change.
  fileprivate func path(_ path: String) -> String {
    guard case .time = kind, path.hasSuffix(ownName) else { return path }
    return path.dropLast(ownName.count) + "wait"
  }
}

extension FlowTolerance {
  /// The tolerance as journals store it.
  fileprivate var shape: String {
    switch rule {
    case .count(let count): "count(\(count))"
    case .share(let share): "share(\(share))"
    }
  }
}

extension Blueprint.Step {
  /// The wait of the step; `nil` if it doesn't wait.
  var wait: StepWait? { options?.features.lazy.compactMap { $0 as? StepWait }.first }

  fileprivate func shapeOfKind(_ branches: String) -> String {
    switch kind {
    case .operation: "operation"
    case .closure: "closure"
    case .group(let group):
      (group.isStream ? "group of a sequence" : "group") + (group.keepsOutputs ? " with outputs" : "")
        + " that tolerates \(group.tolerance.shape)"
    case .cases: "cases: \(branches)"
    case .flow: isAlways ? "always" : "flow"
    case .parallel: "branches: \(branches)"
    }
  }

  fileprivate var shapeOfTraits: [String] {
    var traits: [String] = []
    if let plan = options?.attempts {
      if plan.count > 1 { traits.append("at most \(plan.count) attempts") }
      if plan.recovers { traits.append("recovers") }
      if plan.isTimed { traits.append("timed") }
    }
    if options?.conditions.isEmpty == false { traits.append("on a condition") }
    if let undo = options?.undo { traits.append(undo.isForUncertain ? "undone also if uncertain" : "undone") }
    if let results = options?.results {
      if results.kept != nil { traits.append("keeps results") }
      if results.delivers { traits.append("hands on results") }
    }
    return traits
  }
}
