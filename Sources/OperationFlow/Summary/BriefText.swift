/// The lines of a brief summary.
enum BriefText {
  /// How many characters a line has at most.
  static let width = 100

  static func indent(_ depth: Int) -> String { String(repeating: "  ", count: min(depth, 20)) }

  /// A line with a name and facts about it; the name is cut in its middle if both are too long.
  static func line(_ start: String, _ name: String, _ facts: String) -> String {
    let room = max(24, width - 1 - start.count - facts.count)
    return ValueText.cut(start + ValueText.cutInside(name, limit: room) + facts, limit: width - 1)
  }

  /// A text in at most `lineCount` lines, which break between words.
  static func wrapped(_ text: String, mark: String = "", lineCount: Int) -> [String] {
    // The words come after a space each.
    let (first, next) = (" " + mark.dropLast(), mark.isEmpty ? " " : "   ")
    var lines = [String(mark.isEmpty ? " " : " " + first)]
    var isEmpty = true
    for word in LineText.escaped(text).split(separator: " ", omittingEmptySubsequences: false) {
      if lines.count < lineCount, !isEmpty, lines[lines.count - 1].count + 1 + word.count >= width {
        lines.append(next)
      }
      lines[lines.count - 1] += " " + word
      isEmpty = false
      // The rest of a text that is too long is cut off.
      if lines[lines.count - 1].count > width { break }
    }
    return lines.map { ValueText.cut($0, limit: width - 1) }
  }
}

/// What became of the branches of a cases step.
struct CaseBranches {
  private(set) var wasTaken = false
  /// The last branch if it has several steps, and more than any other: the steps after the cases may have got into it.
  private(set) var longest: Int?
  private var most = 1

  static func all(in digest: RunDigest, _ stepCounts: [Int: Int]) -> [Int: CaseBranches] {
    digest.steps.reduce(into: [:]) { all, step in
      guard step.kind == .branch, let cases = step.parent, digest.step(cases)?.kind == .cases else { return }
      let count = stepCounts[step.id, default: 0]
      all[cases, default: CaseBranches()].add(step, count)
    }
  }

  private mutating func add(_ branch: RunDigest.Step, _ count: Int) {
    if branch.state != .skipped && branch.state != .neverRan && branch.state != .waiting { wasTaken = true }
    longest = count > most ? branch.id : nil
    most = max(most, count)
  }
}

/// Which of many lines there is room for, by their ranks, with a line in place of those that are left out.
struct KeptLines {
  enum Run {
    case line(Int)
    case leftOut(Range<Int>)
  }

  private(set) var runs: [Run] = []

  init(ranks: [Int], limit: Int) {
    let order = Array(ranks.indices).ordered { (ranks[$0], $0) < (ranks[$1], $1) }
    let kept = Set(order.prefix(Self.count(order, limit: limit)))
    var index = 0
    while index < ranks.count {
      let start = index
      while index < ranks.count, !kept.contains(index) { index += 1 }
      // A line that says that one is missing takes as much room as that one.
      if index == start + 1 { runs.append(.line(start)) } else if index > start { runs.append(.leftOut(start..<index)) }
      guard index < ranks.count else { break }
      runs.append(.line(index))
      index += 1
    }
  }

  /// How many of the first lines of an order fit, with the lines for those that don't.
  private static func count(_ order: [Int], limit: Int) -> Int {
    if order.count <= limit { return order.count }
    var kept = [Bool](repeating: false, count: order.count)
    var (gaps, best) = (1, 0)
    for (count, index) in order.enumerated() where count < limit {
      let isOpenBefore = index > 0 && !kept[index - 1]
      let isOpenAfter = index + 1 < kept.count && !kept[index + 1]
      kept[index] = true
      gaps += (isOpenBefore ? 1 : 0) + (isOpenAfter ? 1 : 0) - 1
      if count + 1 + gaps <= limit { best = count + 1 }
    }
    return best
  }
}
