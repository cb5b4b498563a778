// The order of what runs at the end of a run: that of blocks which have begun later comes first.
extension DependencyGraph {
  /// Parts that run one after the other, or side by side, as the first and the last of their nodes.
  private struct Stretch {
    let first: Int
    let last: Int
  }

  /// What blocks have for the end, by their numbers.
  private struct Stretches {
    /// That of the blocks within a block.
    var within = [Blueprint.BlockID: Stretch]()
    /// That of the block itself.
    var own = [Blueprint.BlockID: Stretch]()
  }

  /// Adds that what runs at the end comes one after the other, after the last step of the flow.
  mutating func addOrderAtEnd(of blueprint: Blueprint) {
    var blocks = [Blueprint.root]
    var count = 0
    while count < blocks.count {
      let block = blueprint.blocks[blocks[count]]
      for step in block.steps { blocks += blueprint.steps[step].innerBlocks }
      blocks += block.always
      count += 1
    }
    var stretches = Stretches()
    // Each block comes after those within it.
    for id in blocks.reversed() {
      let block = blueprint.blocks[id]
      stretches.within[id] = joined(block.steps.reversed().map { atEnd(of: $0, in: blueprint, stretches) })
      stretches.own[id] = joined(
        block.always.flatMap { blueprint.blocks[$0].steps }.flatMap { step in
          [Stretch(first: Self.begin(step), last: Self.end(step)), atEnd(of: step, in: blueprint, stretches)]
        })
    }
    let whole = joined([stretches.within[Blueprint.root], stretches.own[Blueprint.root]])
    if let whole, let last = blueprint.blocks[Blueprint.root].steps.last { needed[whole.first].append(Self.end(last)) }
  }

  /// What the blocks within a step have for the end.
  private mutating func atEnd(of step: Blueprint.StepID, in blueprint: Blueprint, _ known: Stretches) -> Stretch? {
    switch blueprint.steps[step].kind {
    case .operation, .closure, .group: return nil
    case .flow(let block, _, _): return joined([known.within[block], known.own[block]])
    case .cases(let cases):
      // Only one of the branches is taken.
      return forked(cases.branches.map { joined([known.within[$0.block], known.own[$0.block]]) })
    case .parallel(let branches):
      // The branches begin in order, and before anything within them.
      let within = forked(branches.map { known.within[$0.block] })
      return joined([within] + branches.reversed().map { known.own[$0.block] })
    }
  }

  /// Adds that stretches come one after the other.
  private mutating func joined(_ stretches: [Stretch?]) -> Stretch? {
    let stretches = stretches.compactMap(\.self)
    guard let first = stretches.first, let last = stretches.last else { return nil }
    for (earlier, later) in zip(stretches, stretches.dropFirst()) { needed[later.first].append(earlier.last) }
    return Stretch(first: first.first, last: last.last)
  }

  /// Adds that stretches come in any order, but not before what comes before all of them.
  private mutating func forked(_ stretches: [Stretch?]) -> Stretch? {
    let stretches = stretches.compactMap(\.self)
    guard stretches.count > 1 else { return stretches.first }
    let fork = Stretch(first: needed.count, last: needed.count + 1)
    needed += [[], stretches.map(\.last)]
    for stretch in stretches { needed[stretch.first].append(fork.first) }
    return fork
  }
}
