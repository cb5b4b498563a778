extension FlowBlueprint: CustomStringConvertible {
  /// How many steps and branches a text lists.
  private static let listedCount = 100

  /// The flow's name, and a line for each step and branch, of which the first 100 are listed.
  public var description: String {
    var lines = ["flow \"\(LineText.escaped(name))\":" + (steps.isEmpty ? " no steps" : "")]
    var waiting = Self.listed(steps, depth: 1).reversed() as [Line]
    while let line = waiting.popLast() {
      guard lines.count <= Self.listedCount else {
        lines.append("  … and more")
        break
      }
      lines.append(String(repeating: "  ", count: min(line.depth, 20)) + LineText.escaped(line.text))
      guard let step = line.step else {
        waiting += Self.listed(line.steps, depth: line.depth + 1).reversed()
        continue
      }
      switch step.kind {
      case .cases, .parallel:
        waiting += step.branches.reversed().map { Line(depth: line.depth + 1, text: $0.name, steps: $0.steps) }
      default: waiting += step.branches.flatMap { Self.listed($0.steps, depth: line.depth + 1) }.reversed()
      }
    }
    return lines.joined(separator: "\n")
  }

  private struct Line {
    let depth: Int
    let text: String
    var step: Step?
    var steps: [Step] = []
  }

  private static func listed(_ steps: [Step], depth: Int) -> [Line] {
    // Those that no text has room for aren't needed.
    steps.prefix(listedCount + 1).enumerated().map { index, step in
      Line(depth: depth, text: "\(index + 1). \(ValueText.cutInside(step.name, limit: 200))", step: step)
    }
  }
}
