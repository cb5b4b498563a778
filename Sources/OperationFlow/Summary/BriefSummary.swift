import Foundation

/// A summary of at most a screen: the end of the run, and a line for each step.
final class BriefSummary {
  private static let width = 100
  /// The number of a group's failed items that have lines.
  private static let itemLimit = 5

  /// A line; the lower its rank, the more important it is: failures first, then the least nested steps.
  private typealias Line = (depth: Int, text: String, rank: Int)

  private let record: FlowRecord
  private let lineLimit: Int
  private let aftermath: RunAftermath
  private let tree: StepTree

  init(_ record: FlowRecord, lineLimit: Int) {
    self.record = record
    self.lineLimit = lineLimit
    aftermath = RunAftermath(record)
    tree = StepTree(record)
  }

  var text: String {
    var head = head
    // The steps need a line, too.
    head += warningTexts.prefix(max(0, lineLimit - head.count - 1))
    return (head + body(limit: max(0, lineLimit - head.count))).map { $0 + "\n" }.joined()
  }

  // MARK: The end of the run

  private var head: [String] {
    let name = record.flowName
    guard let ending = record.ending else { return [Self.line("", name, ": under way")] }
    let duration = DurationText.of(ending.duration)
    let earlier = record.hadEnded ? "had ended before, " : ""
    guard let failure = ending.failure, let cause = record.cause else {
      let text = LineText.escaped(ending.text).drop { ", ".contains($0) }
      let rest = text.isEmpty ? "" : ": " + text
      return [Self.line("", name, ": \(earlier)\(ending.result.words) after \(duration)\(warnings)\(rest)")]
        + undoFailures
    }
    let attempt = failure.attempt > 1 ? " (attempt \(failure.attempt))" : ""
    let end = failure.isRefusal ? "refused" : "failed after \(duration)"
    var lines =
      [Self.line("", name, ": \(earlier)\(end)\(place(of: cause))\(attempt)\(warnings)")] + problem(of: failure)
    if let remedy = failure.remedy { lines += Self.wrapped(remedy, lineCount: isShort ? 1 : 2) }
    if let inputs = cause.inputsText { lines.append("  read: " + inputs) }
    return (lines + undos).map(Self.fitted) + undoFailures + texts(of: aftermath.otherFailures, "failed as well")
  }

  /// The line with the numbers of undos; empty if there were none.
  private var undos: [String] {
    let counts = ValueText.counts([
      "could not be undone": aftermath.notUndoneCount, "undone": aftermath.undoneCount,
    ]).map { aftermath.mayHaveMoreUndos ? "at least \($0)" : $0 }
    return counts.isEmpty ? [] : ["  " + counts.joined(separator: ", ")]
  }

  /// The lines of the first warnings.
  private var warningTexts: [String] {
    record.events.lazy.filter { $0.kind.isWarning }.prefix(isShort ? 0 : 3).map { event in
      switch event.kind {
      case .warned(let text), .logged(let text, _):
        Self.fitted("  warning: " + LineText.escaped("\(event.source): \(text)"))
      default: ""
      }
    }
  }

  /// The text with the number of warnings in the record, of the library and of the steps; empty if there are none.
  private var warnings: String {
    let count = record.events.count(where: \.kind.isWarning)
    let most = record.events.contains(where: \.kind.isLeftOut) ? "at least " : ""
    return count == 0 ? "" : ", " + most + ValueText.count(count, "warning")
  }

  /// True if there is room only for the most important lines.
  private var isShort: Bool { lineLimit < 16 }

  private var undoFailures: [String] { texts(of: aftermath.undoFailures, "undo failed") }

  private func texts(of failures: [FlowEvent], _ what: String) -> [String] {
    failures.prefix(isShort ? 0 : 3).map { failure in
      Self.fitted("  \(what): \(LineText.escaped("\(failure.source): \(failure.errorText)"))")
    }
  }

  /// Returns the lines of the problem; if a flow was refused for several errors, as many of them as fit.
  private func problem(of failure: FlowRecord.Failure) -> [String] {
    guard failure.isRefusal, failure.problem.contains(LineText.listMark) else {
      return Self.wrapped(failure.problem, lineCount: isShort ? 2 : 3)
    }
    let items = failure.problem.components(separatedBy: LineText.listMark)
    var lines = Self.wrapped(items[0], lineCount: 1)
    for (index, item) in items.enumerated().dropFirst() {
      let more = Self.wrapped(item, isItem: true, lineCount: 4)
      // The name and the remedy need lines too, and so does the count of the other errors.
      if index > 1, lines.count + more.count > lineLimit - 5 {
        return lines + ["  - and \(items.count - index) more"]
      }
      lines += more
    }
    return lines
  }

  /// Returns the place where a run failed, or the name of what failed if the step isn't recorded; can be empty.
  private func place(of cause: FlowRecord.Cause) -> String {
    if cause.path == nil, cause.name == FlowEvent.Source(record.flowName).description { return "" }
    return " at " + LineText.escaped(cause.path?.description ?? cause.name)
      + (cause.item.map { ", item \($0.itemNumber)" } ?? "")
  }

  // MARK: The steps

  private func body(limit: Int) -> [String] {
    let lines = record.steps.indices.flatMap { self.lines(at: $0) }
    let kept = Self.kept(ranks: lines.map(\.rank), limit: limit)
    var texts = [String]()
    var start = 0
    for index in 0...lines.count where index == lines.count || kept[index] {
      let missing = lines[start..<index]
      if missing.count > 1 {
        let depth = missing.map(\.depth).min() ?? 0
        texts.append(Self.indent(depth) + "… \(missing.count) more lines")
      } else {
        // A line about one missing line needs as much room as the missing line.
        texts += missing.map(\.text)
      }
      if index < lines.count { texts.append(lines[index].text) }
      start = index + 1
    }
    return texts
  }

  private func lines(at index: Int) -> [Line] {
    let step = record.steps[index]
    let depth = tree.depths[index]
    let parent = tree.parents[index]
    let indent = Self.indent(depth)
    if step.state.isAbsent {
      if let parent, record.steps[parent].state.isAbsent { return [] }
      if step.number == nil {
        // A branch that wasn't chosen is implied by the one that was. It has a line if none was chosen, or if it
        // contains steps that may have been meant to follow the cases.
        guard let parent, record.steps[parent].kind == .cases, record.steps[parent].state == .succeeded,
          !wasTaken(parent) || isLongest(index, of: tree.children[parent])
        else { return [] }
        let facts = ": not taken, " + ValueText.count(tree.children[index].count, "step")
        return [(depth: depth, text: Self.line(indent + "· ", step.name, facts), rank: depth + 3)]
      }
    }
    let itemLines = itemLines(of: step, depth)
    let hasFailures = !itemLines.isEmpty || aftermath.hasUndoFailure(step.id)
    // A reader has to see which way a run went, so the branch that was chosen counts as much as its cases.
    let isChosenBranch = step.number == nil && parent.map { record.steps[$0].kind == .cases } ?? false
    let order = isChosenBranch ? depth + 2 : depth + 3
    let rank = step.state == .failed || step.state == .cancelled ? 0 : hasFailures ? 1 : order
    let number = step.number.map { "\($0). " } ?? ""
    let text = Self.line("\(indent)\(step.state.mark) \(number)", step.name, facts(at: index))
    return [(depth: depth, text: text, rank: rank)] + itemLines
  }

  private func wasTaken(_ cases: Int) -> Bool { tree.children[cases].contains { !record.steps[$0].state.isAbsent } }

  /// Returns true if a branch is the last one, has several steps, and has more of them than any other.
  private func isLongest(_ branch: Int, of branches: [Int]) -> Bool {
    branch == branches.last
      && tree.children[branch].count > branches.dropLast().reduce(1) { max($0, tree.children[$1].count) }
  }

  private func facts(at index: Int) -> String {
    let step = record.steps[index]
    var facts: [String] = []
    switch step.state {
    case .succeeded:
      if step.kind == .cases, !tree.children[index].isEmpty, !wasTaken(index) { facts.append("no case matched") }
    case .waiting, .running, .failed, .cancelled, .skipped, .neverRan: facts.append(step.state.words)
    }
    if let items = step.items { facts.append(items.countText) }
    facts += aftermath.texts(of: step.id, isGroup: step.items != nil)
    if step.attempts > 1 { facts.append("\(step.attempts) attempts") }
    if let duration = step.duration { facts.append(DurationText.of(duration)) }
    if let before = step.beforeResume { facts.append("\(before)") }
    return facts.isEmpty ? "" : ": " + facts.joined(separator: ", ")
  }

  private func itemLines(of step: FlowRecord.Step, _ depth: Int) -> [Line] {
    guard let items = step.items, items.failureText != nil else { return [] }
    let failures = record.itemFailures.filter { $0.step == step.id }.sorted { $0.index < $1.index }
    var texts = failures.prefix(Self.itemLimit).map { failure in
      let attempts = failure.attempt > 1 ? " after \(failure.attempt) attempts" : ""
      return "\(failure.index.itemNumber) \(ValueText.cutInside(failure.input, limit: 40))\(attempts): \(failure.error)"
    }
    let rest = max(items.failed, failures.count) - texts.count
    // Items that cancelled themselves are among the failures, but are counted as cancelled.
    let noun = failures.count > items.failed ? "more failed or cancelled item" : "more failed item"
    if rest > 0 { texts.append("… and " + ValueText.count(rest, noun)) }
    let indent = Self.indent(depth) + "    "
    return texts.map { (depth: depth + 2, text: Self.fitted(indent + LineText.escaped($0)), rank: 2) }
  }

  // MARK: Lines

  private static func indent(_ depth: Int) -> String { String(repeating: "  ", count: min(depth, 20)) }

  private static func fitted(_ line: String) -> String { ValueText.cut(line, limit: width - 1) }

  /// Returns a line with a name and facts about it; the name is cut in its middle if both are too long.
  private static func line(_ start: String, _ name: String, _ facts: String) -> String {
    let room = max(24, width - 1 - start.count - facts.count)
    return fitted(start + ValueText.cutInside(LineText.escaped(name), limit: room) + facts)
  }

  /// Returns a text as at most `lineCount` lines, which break between words.
  private static func wrapped(_ text: String, isItem: Bool = false, lineCount: Int) -> [String] {
    // Each word is added with a space before it.
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

  /// Chooses the lines that fit, by their ranks, and counts one more line for each gap between them.
  private static func kept(ranks: [Int], limit: Int) -> [Bool] {
    let order = Array(ranks.indices).sorted { (ranks[$0], $0) < (ranks[$1], $1) }
    for count in (0...min(order.count, limit)).reversed() {
      var kept = [Bool](repeating: false, count: ranks.count)
      for index in order.prefix(count) { kept[index] = true }
      let gaps = kept.indices.filter { !kept[$0] && ($0 == 0 || kept[$0 - 1]) }.count
      if count + gaps <= limit { return kept }
    }
    return [Bool](repeating: false, count: ranks.count)
  }
}

extension FlowEvent.Kind {
  fileprivate var isWarning: Bool {
    switch self {
    case .warned, .logged(_, .warning): true
    default: false
    }
  }
}

extension FlowRecord.Ending.Result {
  fileprivate var words: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}

extension FlowRecord.State {
  /// True if the step has not begun, whatever the reason.
  fileprivate var isAbsent: Bool { self == .skipped || self == .neverRan || self == .waiting }

  fileprivate var words: String {
    switch self {
    case .waiting: "waiting"
    case .running: "running"
    case .succeeded: "succeeded"
    case .failed: "failed"
    case .cancelled: "cancelled"
    case .skipped: "skipped"
    case .neverRan: "never ran"
    }
  }

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
