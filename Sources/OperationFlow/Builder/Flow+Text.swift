extension Flow: CustomStringConvertible {
  /// The flow's name, and a line for each step and branch, of which the first 100 are listed.
  public var description: String { state.withLock { $0.sharedBlueprint() }.value.text(named: name) }
}

extension Blueprint {
  /// How many steps and branches a text lists.
  private static let listedCount = 100

  /// The steps of a block, in order; what runs at the end comes last.
  package func allSteps(of block: BlockID) -> [StepID] {
    blocks[block].steps + blocks[block].always.flatMap { blocks[$0].steps }
  }

  /// A name, and a line for each step and branch.
  package func text(named name: String) -> String {
    var lines = ["flow \"\(LineText.escaped(name))\":" + (allSteps(of: Self.root).isEmpty ? " no steps" : "")]
    var waiting = stepLines(of: Self.root, 1).reversed() as [Line]
    while let line = waiting.popLast() {
      guard lines.count <= Self.listedCount else {
        lines.append("  … and more")
        break
      }
      lines.append(String(repeating: "  ", count: min(line.depth, 20)) + LineText.escaped(line.text))
      let inner = line.step.map { innerLines(of: steps[$0].kind, line.depth + 1) }
      waiting += (inner ?? line.block.map { stepLines(of: $0, line.depth + 1) } ?? []).reversed()
    }
    return lines.joined(separator: "\n")
  }

  private struct Line {
    let depth: Int
    let text: String
    var step: StepID?
    var block: BlockID?
  }

  private func stepLines(of block: BlockID, _ depth: Int) -> [Line] {
    // Those that no text has room for aren't needed.
    allSteps(of: block).prefix(Self.listedCount + 1).enumerated().map { index, id in
      Line(depth: depth, text: "\(index + 1). \(ValueText.cutInside(steps[id].name, limit: 200))", step: id)
    }
  }

  private func innerLines(of kind: Step.Kind, _ depth: Int) -> [Line] {
    switch kind {
    case .operation, .closure, .group: []
    case .flow(let block, _, _): stepLines(of: block, depth)
    case .cases(let cases): cases.branches.map { Line(depth: depth, text: $0.condition.text, block: $0.block) }
    case .parallel(let branches): branches.map { Line(depth: depth, text: $0.name, block: $0.block) }
    }
  }
}
