import Foundation

extension BriefSummary {
  static let width = 100

  static func indent(_ depth: Int) -> String { String(repeating: "  ", count: min(depth, 20)) }

  static func fitted(_ line: String) -> String { ValueText.cut(line, limit: width - 1) }

  /// A line with a name and facts about it; the name is cut in its middle if both are too long.
  static func line(_ start: String, _ name: String, _ facts: String) -> String {
    let room = max(24, width - 1 - start.count - facts.count)
    return fitted(start + ValueText.cutInside(LineText.escaped(name), limit: room) + facts)
  }

  /// A text in at most `lineCount` lines, which break between words.
  static func wrapped(_ text: String, isItem: Bool = false, lineCount: Int) -> [String] {
    // The words come after a space each.
    var line = isItem ? "  -" : " "
    var lines: [String] = []
    for (index, word) in LineText.escaped(text).components(separatedBy: " ").enumerated() {
      if lines.count + 1 < lineCount, index > 0, line.count + 1 + word.count >= width {
        lines.append(line)
        line = isItem ? "   " : " "
      }
      line += " " + word
      // The rest of a text that is too long is cut off.
      if line.count > width { break }
    }
    return (lines + [line]).map(fitted)
  }

  /// For which of many lines there is room, by their ranks, with a line in each place where some are left out.
  static func kept(ranks: [Int], limit: Int) -> [Bool] {
    let order = Array(ranks.indices).ordered { (ranks[$0], $0) < (ranks[$1], $1) }
    for count in (0...min(order.count, limit)).reversed() {
      var kept = [Bool](repeating: false, count: ranks.count)
      for index in order.prefix(count) { kept[index] = true }
      let gaps = kept.indices.filter { !kept[$0] && ($0 == 0 || kept[$0 - 1]) }.count
      if count + gaps <= limit { return kept }
    }
    return [Bool](repeating: false, count: ranks.count)
  }
}
