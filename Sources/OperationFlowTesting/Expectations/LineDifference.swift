/// The difference between two lists of lines; a line `…` in the expected list stands for any lines.
struct LineDifference: CustomStringConvertible {
  private static let anything = "…"
  /// The largest size of the table of a comparison; longer texts are shown one after the other.
  private static let largestTable = 20_000_000

  private enum Line {
    case same(String)
    case missing(String)
    case unexpected(String)
  }

  private let lines: [Line]

  /// True if the lists don't differ.
  let isEmpty: Bool

  init(expected: [String], found: [String]) {
    isEmpty = Self.matches(expected, found)
    let alike = zip(expected, found).prefix { $0 == $1 && $0 != Self.anything }.map { Line.same($1) }
    lines =
      isEmpty
      ? found.map(Line.same)
      : alike + Self.lines(Array(expected.dropFirst(alike.count)), Array(found.dropFirst(alike.count)))
  }

  /// Returns true if the lists don't differ, without a table; each `…` stands for more lines only if the rest differs.
  private static func matches(_ expected: [String], _ found: [String]) -> Bool {
    var (left, right) = (0, 0)
    var retry: (left: Int, right: Int)?
    while right < found.count {
      if left < expected.count, expected[left] == anything {
        left += 1
        retry = (left, right)
      } else if left < expected.count, expected[left] == found[right] {
        (left, right) = (left + 1, right + 1)
      } else if let last = retry {
        (left, right) = (last.left, last.right + 1)
        retry = (left, right)
      } else {
        return false
      }
    }
    return expected[left...].allSatisfy { $0 == anything }
  }

  private static func lines(_ expected: [String], _ found: [String]) -> [Line] {
    if (expected.count + 1) * (found.count + 1) > largestTable {
      return expected.map(Line.missing) + found.map(Line.unexpected)
    }
    // The largest number of equal lines, from each pair of places to the end. The best way is chosen from the start. A
    // line that is expected counts more than one that `…` stands for.
    var best = Array(repeating: Array(repeating: 0, count: found.count + 1), count: expected.count + 1)
    for left in expected.indices.reversed() {
      for right in (0...found.count).reversed() {
        if expected[left] == anything {
          best[left][right] = max(best[left + 1][right], right < found.count ? best[left][right + 1] + 1 : 0)
        } else {
          let skipped = max(best[left + 1][right], right < found.count ? best[left][right + 1] : 0)
          let isAlike = right < found.count && expected[left] == found[right]
          best[left][right] = isAlike ? max(skipped, best[left + 1][right + 1] + 2) : skipped
        }
      }
    }
    var (lines, left, right) = ([Line](), 0, 0)
    while left < expected.count || right < found.count {
      if left < expected.count, expected[left] == anything {
        if right < found.count, best[left][right] == best[left][right + 1] + 1,
          best[left][right] > best[left + 1][right]
        {
          lines.append(.same(found[right]))
          right += 1
        } else {
          left += 1
        }
      } else if left < expected.count, right < found.count, expected[left] == found[right] {
        lines.append(.same(found[right]))
        (left, right) = (left + 1, right + 1)
      } else if right == found.count || (left < expected.count && best[left + 1][right] >= best[left][right + 1]) {
        lines.append(.missing(expected[left]))
        left += 1
      } else {
        lines.append(.unexpected(found[right]))
        right += 1
      }
    }
    return lines
  }

  /// The lines, with `-` before expected lines that are missing, and `+` before lines that aren't expected.
  var description: String {
    lines.map { line in
      switch line {
      case .same(let text): "  " + text
      case .missing(let text): "- " + text
      case .unexpected(let text): "+ " + text
      }
    }.joined(separator: "\n")
  }
}
