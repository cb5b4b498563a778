/// A summary of at most a screen: how the run ended, and a line for each step.
struct BriefSummary {
  /// How many characters a line has at most.
  private static let width = 100
  /// How many failed items of a group have lines.
  private static let itemLimit = 5

  private struct Line {
    let depth: Int
    let text: String
    /// The lower, the more important: what failed, then what is nested least.
    let rank: Int
  }

  private let record: FlowRecord
  private let lineLimit: Int
  private let depths: [Int: Int]
  /// The first failed items of each group.
  private var failures: [Int: [FlowRecord.ItemFailure]] = [:]

  init(_ record: FlowRecord, lineLimit: Int) {
    self.record = record
    self.lineLimit = lineLimit
    var depths: [Int: Int] = [:]
    for step in record.steps { depths[step.id] = step.parent.map { depths[$0, default: 0] + 1 } ?? 0 }
    self.depths = depths
    for failure in record.itemFailures {
      guard let step = failure.step, failures[step, default: []].count < Self.itemLimit else { continue }
      failures[step, default: []].append(failure)
    }
  }

  var text: String {
    let head = head
    return (head + body(limit: lineLimit - head.count)).map { $0 + "\n" }.joined()
  }

  // MARK: How it ended

  private var head: [String] {
    let name = LineText.escaped(record.flowName)
    guard let ending = record.ending else { return [fitted("\(name): under way")] }
    let duration = DurationText.of(ending.duration)
    guard ending.result == .failed, let cause = record.cause else {
      let text = LineText.escaped(ending.text).drop { ", ".contains($0) }
      let rest = text.isEmpty ? "" : ": " + text
      return [fitted("\(name): \(ending.result) after \(duration)\(rest)")]
    }
    let attempt = cause.attempt > 1 ? " (attempt \(cause.attempt))" : ""
    var lines = ["\(name): failed after \(duration)\(place(of: cause))\(attempt)"]
    lines += Self.wrapped(cause.problem, lineCount: 3)
    if let remedy = cause.remedy { lines += Self.wrapped(remedy, lineCount: 2) }
    if let inputs = cause.inputsText { lines.append("  read: " + inputs) }
    return lines.map(fitted)
  }

  /// Where a run failed: the name of what failed if the record doesn't have the step; empty if no step is to blame.
  private func place(of cause: FlowRecord.Cause) -> String {
    let item = cause.item.map { ", item #\($0)" } ?? ""
    if let path = cause.path { return " at " + LineText.escaped(path.description) + item }
    return cause.name == FlowEvent.Source(record.flowName).description
      ? "" : " at " + LineText.escaped(cause.name) + item
  }

  /// A text in at most `lineCount` lines, which break between words.
  private static func wrapped(_ text: String, lineCount: Int) -> [String] {
    var lines = [" "]
    for word in LineText.escaped(text).split(separator: " ", omittingEmptySubsequences: false) {
      let isLast = lines.count == lineCount
      if !isLast, lines[lines.count - 1].count + 1 + word.count >= width, lines[lines.count - 1] != " " {
        lines.append(" ")
      }
      lines[lines.count - 1] += " " + word
      // The rest of a text that is too long is cut off.
      if lines[lines.count - 1].count > width { break }
    }
    return lines
  }

  // MARK: The steps

  private func body(limit: Int) -> [String] {
    let lines = record.steps.flatMap(lines)
    if lines.count <= limit { return lines.map(\.text) }
    // The line that counts the others takes one.
    let kept = Set(lines.indices.sorted { (lines[$0].rank, $0) < (lines[$1].rank, $1) }.prefix(max(0, limit - 1)))
    return lines.indices.filter(kept.contains).map { lines[$0].text } + ["… and \(lines.count - kept.count) more lines"]
  }

  private func lines(of step: FlowRecord.Step) -> [Line] {
    // A branch that wasn't taken, and everything in it, has no line: that of the branch that was taken implies it.
    let isAbsent = step.state == .skipped || step.state == .neverRan || step.state == .waiting
    if isAbsent, step.kind == .branch || parentIsAbsent(step) { return [] }
    let depth = depths[step.id, default: 0]
    let indent = String(repeating: "  ", count: min(depth, 20))
    let isBad = step.state == .failed || step.state == .cancelled || (step.items?.failed ?? 0) > 0
    let number = step.number.map { "\($0). " } ?? ""
    let text = fitted("\(indent)\(step.state.mark) \(number)\(LineText.escaped(step.name))\(facts(of: step))")
    return [Line(depth: depth, text: text, rank: isBad ? 0 : depth + 2)] + itemLines(of: step, indent, depth)
  }

  private func facts(of step: FlowRecord.Step) -> String {
    var facts: [String] = []
    switch step.state {
    case .succeeded: break
    case .neverRan: facts.append("never ran")
    case .waiting, .running, .failed, .cancelled, .skipped: facts.append("\(step.state)")
    }
    if let items = step.items { facts.append(items.countText) }
    if step.attempts > 1 { facts.append("\(step.attempts) attempts") }
    if let duration = step.duration { facts.append(DurationText.of(duration)) }
    if let before = step.beforeResume { facts.append("\(before)") }
    return facts.isEmpty ? "" : ": " + facts.joined(separator: ", ")
  }

  private func itemLines(of step: FlowRecord.Step, _ indent: String, _ depth: Int) -> [Line] {
    guard let failed = step.items?.failed, failed > 0 else { return [] }
    var lines = (failures[step.id] ?? []).map { failure in
      let attempts = failure.attempt > 1 ? " after \(failure.attempt) attempts" : ""
      let text = LineText.escaped(
        "#\(failure.index) \(ValueText.cut(failure.input, limit: 30))\(attempts): \(failure.error)")
      return Line(depth: depth + 1, text: fitted("\(indent)    \(text)"), rank: 1)
    }
    if failed > lines.count {
      lines.append(
        Line(depth: depth + 1, text: "\(indent)    … and \(failed - lines.count) more failed items", rank: 1))
    }
    return lines
  }

  private func parentIsAbsent(_ step: FlowRecord.Step) -> Bool {
    guard let parent = step.parent.flatMap(record.step) else { return false }
    return parent.state == .skipped || parent.state == .neverRan || parent.state == .waiting
  }

  private func fitted(_ line: String) -> String { ValueText.cut(line, limit: Self.width - 1) }
}

extension FlowRecord.State {
  /// A sign for what became of a step.
  fileprivate var mark: String {
    switch self {
    case .succeeded: "✓"
    case .failed: "✗"
    case .cancelled: "■"
    case .running: "▸"
    case .waiting, .skipped, .neverRan: "·"
    }
  }
}

extension FlowRecord.Items {
  /// The counts, such as `23 of 24 succeeded, 1 failed`.
  package var countText: String {
    if let text = failureText { return text }
    return total.map { "\(succeeded) of \($0) succeeded" } ?? "\(succeeded) succeeded"
  }
}
