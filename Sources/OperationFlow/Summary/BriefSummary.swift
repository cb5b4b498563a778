/// A summary of at most a screen: how the run ended, and a line for each step.
final class BriefSummary {
  /// How many failed items of a group have lines.
  private static let itemLimit = 5

  private struct Line {
    let depth: Int
    let text: String
    /// The lower, the more important: what failed, then what is nested least.
    let rank: Int
  }

  private let digest: RunDigest
  private let lineLimit: Int
  private let depths: [Int: Int]
  private let aftermath: RunAftermath
  private let branches: [Int: CaseBranches]
  /// How many steps each branch has, without those within them.
  private let stepCounts: [Int: Int]
  /// The first failed items of each group.
  private var failures: [Int: [RunDigest.ItemFailure]] = [:]

  init(_ digest: RunDigest, lineLimit: Int) {
    self.digest = digest
    self.lineLimit = lineLimit
    var depths: [Int: Int] = [:]
    for step in digest.steps { depths[step.id] = step.parent.map { depths[$0, default: 0] + 1 } ?? 0 }
    self.depths = depths
    aftermath = RunAftermath(digest)
    let counts = digest.steps.reduce(into: [Int: Int]()) { counts, step in
      if let parent = step.parent { counts[parent, default: 0] += 1 }
    }
    stepCounts = counts
    branches = CaseBranches.all(in: digest, counts)
    for failure in digest.itemFailures {
      guard let step = failure.step, failures[step, default: []].count < Self.itemLimit else { continue }
      failures[step, default: []].append(failure)
    }
  }

  var text: String {
    let head = head
    return (head + body(limit: max(0, lineLimit - head.count))).map { $0 + "\n" }.joined()
  }

  // MARK: How it ended

  private var head: [String] {
    let name = LineText.escaped(digest.flowName)
    guard let ending = digest.ending else { return [fitted("\(name): under way")] }
    let duration = DurationText.of(ending.duration)
    guard ending.result == .failed, let cause = digest.cause else {
      let text = LineText.escaped(ending.text).drop { ", ".contains($0) }
      let rest = text.isEmpty ? "" : ": " + text
      return [fitted("\(name): \(ending.result) after \(duration)\(rest)")] + undoFailures
    }
    let attempt = cause.failure.attempt > 1 ? " (attempt \(cause.failure.attempt))" : ""
    let end = ending.failure?.isRefusal == true ? "refused" : "failed after \(duration)"
    var lines = ["\(name): \(end)\(place(of: cause))\(attempt)"]
    lines += problem(of: cause)
    if let remedy = cause.failure.remedy { lines += BriefText.wrapped(remedy, lineCount: isShort ? 1 : 2) }
    if let inputs = cause.inputsText { lines.append("  read: " + inputs) }
    let counts = [(aftermath.undoFailures.count, "could not be undone"), (aftermath.undoneCount, "undone")]
    let undos = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    if !undos.isEmpty { lines.append("  " + undos.joined(separator: ", ")) }
    return lines.map(fitted) + undoFailures + otherFailures
  }

  /// Whether there is room only for what matters most.
  private var isShort: Bool { lineLimit < 16 }

  /// The first of what could not be undone, each with its error.
  private var undoFailures: [String] { texts(of: aftermath.undoFailures, "undo failed") }

  /// The first of what failed beside the step that the run failed with, each with its error.
  private var otherFailures: [String] { texts(of: aftermath.otherFailures, "failed as well") }

  private func texts(of failures: [FlowEvent], _ what: String) -> [String] {
    failures.prefix(isShort ? 0 : 3).map { failure in
      fitted("  \(what): \(LineText.escaped("\(failure.source): \(failure.errorText)"))")
    }
  }

  /// What is wrong; if a flow was refused for several errors, as many of them as there is room for.
  private func problem(of cause: RunDigest.Cause) -> [String] {
    guard digest.ending?.failure?.isRefusal == true, cause.failure.problem.contains(LineText.listMark) else {
      return BriefText.wrapped(cause.failure.problem, lineCount: isShort ? 2 : 3)
    }
    let items = cause.failure.problem.split(separator: LineText.listMark).map(String.init)
    var lines = BriefText.wrapped(items[0], lineCount: 1)
    for (index, item) in items.enumerated().dropFirst() {
      let more = BriefText.wrapped(item, mark: "- ", lineCount: 4)
      // The name and the remedy have lines too, and so has the count of the others.
      if index > 1, lines.count + more.count > lineLimit - 5 {
        return lines + ["  - and \(items.count - index) more"]
      }
      lines += more
    }
    return lines
  }

  /// Where a run failed: the name of what failed if the record doesn't have the step; empty if no step is to blame.
  private func place(of cause: RunDigest.Cause) -> String {
    let item = cause.failure.item.map { ", item #\($0)" } ?? ""
    if let path = cause.path { return " at " + LineText.escaped(path.description) + item }
    return cause.failure.name == FlowEvent.Source(digest.flowName).description
      ? "" : " at " + LineText.escaped(cause.failure.name) + item
  }

  // MARK: The steps

  private func body(limit: Int) -> [String] {
    let lines = digest.steps.flatMap(lines)
    let kept = KeptLines(ranks: lines.map(\.rank), limit: limit)
    return kept.runs.map { run in
      switch run {
      case .line(let index): return lines[index].text
      case .leftOut(let range):
        let indent = lines[range].map(\.depth).min() ?? 0
        return BriefText.indent(indent) + "… \(range.count) more lines"
      }
    }
  }

  private func lines(of step: RunDigest.Step) -> [Line] {
    let isAbsent = step.state == .skipped || step.state == .neverRan || step.state == .waiting
    if isAbsent, parentIsAbsent(step) { return [] }
    let depth = depths[step.id, default: 0]
    if isAbsent, step.kind == .branch { return absentBranch(step, depth) }
    let indent = BriefText.indent(depth)
    let isBad =
      step.state == .failed || step.state == .cancelled || (step.items?.failed ?? 0) > 0
      || aftermath.notUndone[step.id] != nil
    let number = step.number.map { "\($0). " } ?? ""
    let text = BriefText.line("\(indent)\(step.state.mark) \(number)", LineText.escaped(step.name), facts(of: step))
    return [Line(depth: depth, text: text, rank: isBad ? 0 : depth + 2)] + itemLines(of: step, indent, depth)
  }

  /// A branch that wasn't taken has no line, because that of the branch that was taken implies it.
  ///
  /// It has one if no branch was taken, and if it looks as if steps for after the cases had got into it.
  private func absentBranch(_ branch: RunDigest.Step, _ depth: Int) -> [Line] {
    guard let cases = branch.parent, digest.step(cases)?.state == .succeeded, let branches = branches[cases],
      !branches.wasTaken || branches.longest == branch.id
    else { return [] }
    let count = stepCounts[branch.id, default: 0]
    let facts = ": not taken, \(count) \(count == 1 ? "step" : "steps")"
    let text = BriefText.line("\(BriefText.indent(depth))· ", LineText.escaped(branch.name), facts)
    return [Line(depth: depth, text: text, rank: depth + 2)]
  }

  private func facts(of step: RunDigest.Step) -> String {
    var facts: [String] = []
    switch step.state {
    case .succeeded: break
    case .neverRan: facts.append("never ran")
    case .waiting, .running, .failed, .cancelled, .skipped: facts.append("\(step.state)")
    }
    if let branches = branches[step.id], step.state == .succeeded, !branches.wasTaken {
      facts.append("no case matched")
    }
    if let items = step.items { facts.append(items.countText) }
    facts += aftermath.texts(of: step.id, isGroup: step.items != nil)
    if step.attempts > 1 { facts.append("\(step.attempts) attempts") }
    if let duration = step.duration { facts.append(DurationText.of(duration)) }
    if let before = step.beforeResume { facts.append("\(before)") }
    return facts.isEmpty ? "" : ": " + facts.joined(separator: ", ")
  }

  private func itemLines(of step: RunDigest.Step, _ indent: String, _ depth: Int) -> [Line] {
    guard let failed = step.items?.failed, failed > 0 else { return [] }
    var lines = (failures[step.id] ?? []).map { failure in
      let attempts = failure.attempt > 1 ? " after \(failure.attempt) attempts" : ""
      let text = LineText.escaped(
        "#\(failure.index) \(ValueText.cutInside(failure.input, limit: 40))\(attempts): \(failure.error)")
      return Line(depth: depth + 2, text: fitted("\(indent)    \(text)"), rank: 1)
    }
    if failed > lines.count {
      let noun = failed - lines.count == 1 ? "item" : "items"
      lines.append(
        Line(depth: depth + 2, text: "\(indent)    … and \(failed - lines.count) more failed \(noun)", rank: 1))
    }
    return lines
  }

  private func parentIsAbsent(_ step: RunDigest.Step) -> Bool {
    guard let parent = step.parent.flatMap(digest.step) else { return false }
    return parent.state == .skipped || parent.state == .neverRan || parent.state == .waiting
  }

  private func fitted(_ line: String) -> String { ValueText.cut(line, limit: BriefText.width - 1) }
}

extension StepState {
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

extension RunDigest.Items {
  /// The counts, such as `23 of 24 succeeded, 1 failed`.
  package var countText: String {
    if let text = failureText { return text }
    return total.map { "\(succeeded) of \($0) succeeded" } ?? "\(succeeded) succeeded"
  }
}
