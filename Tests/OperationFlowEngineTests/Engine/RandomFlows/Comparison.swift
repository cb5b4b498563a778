import TestSupport

@testable import OperationFlow
@testable import OperationFlowDurable

/// Compares the engine's record with the interpreter: every line, or the facts that don't depend on the order.
struct Comparison {
  /// The first fault that was found; `nil` if there is none.
  private(set) var complaint: String?
  private var actual: ArraySlice<Line>
  private let ending: String

  /// A line of the record, with the path of its step.
  private struct Line {
    let text: String
    let path: String
  }

  init(_ outcome: FlowOutcome, with expected: Interpreter) {
    // The warning depends on chance: an undeclared operation may be freed when its main logic returns, or later.
    // `ClosingCheck` checks what follows the decision of the end. The interpreter doesn't number attempts.
    let lines = zip(outcome.report.lines, outcome.report.events).filter { !$1.isOfClosing && !$1.isOfPause }.map {
      Line(text: $0.replacing(" (attempt \($1.attempt))", with: ""), path: $1.path?.description ?? "")
    }
    actual = lines.filter { !$0.text.contains("warning: returned without finishing") }[...]
    ending =
      switch outcome {
      case .succeeded: ""
      case .failed(let error, _): "\(error)"
      case .cancelled: "cancelled"
      }
    var endings = Set([expected.ending ?? ""])
    take(expected.parts, &endings)
    if complaint == nil, let rest = actual.first { complaint = "too much: \(rest.text)" }
    compare(outcome.report.steps, expected.facts)
    if complaint == nil, !endings.contains(ending) { complaint = "ends with <\(ending)>, not with one of \(endings)" }
  }

  /// Compares the ends of steps, and the counts of a group's items, except for those that depend on chance.
  private mutating func compare(_ steps: [FlowReport.Step], _ expected: [Interpreter.Fact]) {
    if complaint == nil, steps.map(\.name) != expected.map(\.name) {
      complaint = "the steps are \(steps.map(\.name)), and not \(expected.map(\.name))"
    }
    for (step, fact) in zip(steps, expected) where complaint == nil {
      if let end = fact.end, end != step.end { complaint = "\(step), and not \(end)" }
      guard let counts = fact.items else { continue }
      let items = step.items.map { [$0.succeeded, $0.failed, $0.cancelled] }
      if items != counts { complaint = "\(step): \(items as Any), and not \(counts)" }
    }
  }

  private mutating func take(_ parts: [Interpreter.Part], _ endings: inout Set<String>) {
    for part in parts where complaint == nil {
      switch part {
      case .line(let line): take(line)
      case .items(let items, let width): takeAll(items, width: width)
      case .stoppedItems(let planned, let width, let possible):
        takeSome(of: planned, width: width)
        endings = possible
      case .branches(let branches): takeAll(branches, &endings)
      case .stoppedBranches(let possible):
        actual = []
        endings = possible
      }
    }
  }

  /// Compares the lines of all branches, each branch's as if it were alone.
  private mutating func takeAll(_ branches: [(path: String, parts: [Interpreter.Part])], _ endings: inout Set<String>) {
    let lines = actual.prefix { line in branches.contains { line.path.contains($0.path) } }
    let rest = actual.dropFirst(lines.count)
    for branch in branches where complaint == nil {
      actual = lines.filter { $0.path.contains(branch.path) }[...]
      take(branch.parts, &endings)
      if complaint == nil, let more = actual.first { complaint = "\(branch.path) too much: \(more.text)" }
    }
    actual = rest
  }

  private mutating func take(_ line: String) {
    let next = actual.popFirst()?.text
    if next != line { complaint = "expected <\(line)>, found <\(next ?? "nothing")>" }
  }

  /// Compares the lines of all items, each item's in order.
  private mutating func takeAll(_ items: [[String]], width: Int) {
    let lines = actual.prefix(items.joined().count).map(\.text)
    actual = actual.dropFirst(lines.count)
    for (index, expected) in items.enumerated() {
      let found = lines.filter { $0.hasPrefix("[WorkOp #\(index + 1)] ") }
      if found != expected { complaint = "item \(index): expected \(expected), found \(found)" }
    }
    checkWidth(of: lines, width)
  }

  /// Compares the items of a stopped group with all remaining lines but the flow's last.
  private mutating func takeSome(of planned: [[String]], width: Int) {
    let lines = actual.dropLast().map(\.text)
    actual = actual.suffix(1)
    for (index, item) in planned.enumerated() {
      let source = "[WorkOp #\(index + 1)] "
      checkStopped(lines.filter { $0.hasPrefix(source) }, planned: item.filter { $0.hasPrefix(source) }, source)
    }
    let stops = lines.filter { $0 == "[Flow] cancel" || $0.hasPrefix("[Group] not allow failure") }
    if stops.count != 1 { complaint = "stopped \(stops.count) times: \(stops)" }
    let late = lines.drop { $0 != stops.first }.filter { $0.hasSuffix("] WillStart") }
    if !late.isEmpty { complaint = "started after the stop: \(late)" }
    if (stops.first == "[Flow] cancel") && ending != "cancelled" { complaint = "cancelled, but ends with <\(ending)>" }
    checkWidth(of: lines, width)
  }

  /// Checks that a started item ended once: as planned, or as cancelled after a part of its planned work.
  private mutating func checkStopped(_ found: [String], planned: [String], _ source: String) {
    // A finish after the end leaves a warning, unless the operation was cancelled before.
    // Attempts that are followed by another one are as planned.
    var (found, planned) = (found, planned)
    while let end = planned.firstIndex(where: { $0.hasPrefix(source + "DidFinish: ") }), end + 1 < planned.count,
      found.prefix(end + 1) == planned.prefix(end + 1)
    {
      (found, planned) = (Array(found.dropFirst(end + 1)), Array(planned.dropFirst(end + 1)))
    }
    let withoutWarnings = { (lines: [String]) in lines.filter { !$0.hasPrefix(source + "warning: finished again") } }
    guard !found.isEmpty, found != planned else { return }
    if found.count < planned.count, withoutWarnings(found) == withoutWarnings(planned) { return }
    let isEnd = { (line: String) in line.hasPrefix(source + "DidFinish: ") }
    let ends = found.filter(isEnd)
    // If two items cancel the flow at once, the second may continue before the first has cancelled the flow.
    if planned.last == source + "DidFinish: cancelled", ends.count == 1 { return }
    var rest = planned.filter { !isEnd($0) }[...]
    // A call that is too late leaves a warning in place of its line.
    let done = found.filter { !isEnd($0) && !$0.hasPrefix(source + "warning: ") }
    let isPart = done.allSatisfy { line in
      rest = rest.drop { $0 != line }
      return rest.popFirst() != nil
    }
    if ends != [source + "DidFinish: cancelled"] || !isPart { complaint = "did \(found), planned \(planned)" }
  }

  private mutating func checkWidth(of lines: some Sequence<String>, _ width: Int) {
    var running = Set<Substring>()
    for line in lines {
      let source = line.prefix { $0 != "]" }
      if line.hasSuffix("] WillStart") { running.insert(source) }
      if line.contains("] DidFinish: ") { running.remove(source) }
      if running.count > width { complaint = "\(running.count) at once, width \(width)" }
    }
  }
}

extension FlowEvent {
  /// True if a test has paused the run, which changes nothing else.
  fileprivate var isOfPause: Bool {
    switch kind {
    case .paused, .resumed: true
    default: false
    }
  }

  /// True if the event is of an undo, or of a flow that always runs at the end.
  var isOfClosing: Bool {
    switch kind {
    case .undoStarted, .undoFinished: true
    default: path?.description.contains(/^\d+\. always/) ?? false
    }
  }
}
