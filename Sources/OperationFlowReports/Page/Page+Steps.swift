import OperationFlow

extension Page {
  /// The largest number of rows in the table of steps.
  static let stepLimit = 300

  /// The table of steps: the state, the times and the attempts of each step, and a bar for its time in the run.
  var stepTable: String {
    var text = "<section aria-labelledby=\"steps-title\">\n<h2 id=\"steps-title\">Steps</h2>\n"
    guard !record.steps.isEmpty else { return text + "<p class=\"empty\">The record has no steps.</p>\n</section>\n" }
    let listed = listedSteps
    text += "<div class=\"scroll step-box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"steps-title\">\n"
    text += "<table class=\"steps\" aria-label=\"Steps of the run\"><thead><tr><th scope=\"col\">Step</th>"
    text += "<th scope=\"col\">State</th><th scope=\"col\" class=\"number\">Start</th>"
    text += "<th scope=\"col\" class=\"number\">Duration</th><th scope=\"col\" class=\"number\">Waited</th>"
    text += "<th scope=\"col\" class=\"number\">Attempts</th><td class=\"wide\"></td></tr></thead>\n<tbody>\n"
    var next = 0
    for index in listed {
      text += gap(from: next, to: index) + row(of: index)
      next = index + 1
    }
    text += gap(from: next, to: record.steps.count)
    text += "</tbody></table></div>\n"
    if listed.count < record.steps.count {
      text += "<p class=\"hint\">\(PageText.grouped(listed.count)) of \(PageText.count(record.steps.count, "step")): "
      text += "first the one with which the run failed, then others that failed, run or were cancelled, then the rest. "
      text += "The timeline has all that have begun.</p>\n"
    }
    text += "<p class=\"hint scripted\">Choose a step to see what it read and wrote.</p>\n"
    return text + "</section>\n"
  }

  /// The positions of the steps in the table.
  ///
  /// If there are too many steps, half of the rows are for failed, cancelled and running steps, with the steps that
  /// contain them. The first steps fill the other rows.
  private var listedSteps: [Int] {
    guard record.steps.count > Self.stepLimit else { return Array(record.steps.indices) }
    var listed: Set<Int> = []
    let cause = record.ending?.failure?.step.flatMap { tree.places[$0] }
    let notable = [.failed, .running, .cancelled].flatMap { (state: FlowRecord.State) in
      record.steps.indices.filter { record.steps[$0].state == state }
    }
    for index in (cause.map { [$0] } ?? []) + notable where listed.count < Self.stepLimit / 2 {
      var next: Int? = index
      while let current = next, listed.insert(current).inserted { next = tree.parents[current] }
    }
    for index in record.steps.indices where listed.count < Self.stepLimit { listed.insert(index) }
    return listed.sorted()
  }

  /// A row in place of steps that aren't listed; empty if there are none.
  private func gap(from start: Int, to end: Int) -> String {
    guard start < end else { return "" }
    return "<tr class=\"gap\"><td colspan=\"7\">… \(PageText.count(end - start, "more step"))</td></tr>\n"
  }

  private func row(of index: Int) -> String {
    let step = record.steps[index]
    let times = times(of: index)
    let waited = timeline.waits(index) ? times.map { $0.end - $0.start } ?? 0 : timeline.delay(of: index)
    let duration = step.duration.map(DurationText.of) ?? times.map { DurationText.of(.microseconds($0.end - $0.start)) }
    let facts = (step.beforeResume.map { [Self.text($0)] } ?? []) + aftermath.undoTexts(of: step.id).map { "↶ " + $0 }
    let others = facts.map { " <span class=\"hint\">\($0)</span>" }.joined()
    let name = (step.number.map { "\($0). " } ?? "") + PageText.cut(step.name, 120)
    var row = "<tr data-step=\"\(step.id)\"><th scope=\"row\" class=\"d-\(min(tree.depths[index], 6))\">"
    row += "<bdi>\(PageText.html(name))</bdi></th><td>\(Self.chip(step.state))\(others)</td>"
    row += Self.cell("Start", times.map { PageText.offset($0.start, of: timeline.end) })
    row += Self.cell("Duration", duration)
    row += Self.cell("Waited", waited > 0 ? DurationText.of(.microseconds(waited)) : nil)
    row += Self.cell("Attempts", step.attempts > 1 ? PageText.grouped(step.attempts) : nil)
    return row + "<td class=\"wide\">\(times.map { bar(from: $0.start, to: $0.end, step.state) } ?? "")</td></tr>\n"
  }

  private static func text(_ earlier: FlowReport.BeforeResume) -> String {
    switch earlier {
    case .began: "began earlier"
    case .ended(nil): "ended earlier"
    case .ended(let date?): "ended earlier, at " + time(date)
    }
  }

  private static func cell(_ name: String, _ text: String?) -> String {
    "<td class=\"number\" data-name=\"\(name)\">\(text ?? "")</td>"
  }

  /// Returns the times of a step's first beginning and last end, without its undo.
  private func times(of index: Int) -> (start: Int64, end: Int64)? {
    let own = timeline.ownSpans[index].lazy.map { timeline.spans[$0] }.filter { !$0.isUndo }
    guard let first = own.first else { return nil }
    return (first.start, own.reduce(first.end) { max($0, $1.end) })
  }

  /// Returns a bar for a part of the run's time; its width is at least 3, so that it is visible.
  private func bar(from start: Int64, to end: Int64, _ state: FlowRecord.State) -> String {
    let scale = 160 / Double(max(timeline.end, 1))
    let left = min(max(Int(Double(start) * scale), 0), 157)
    let width = min(max(Int(Double(end - start) * scale), 3), 160 - left)
    return "<svg aria-hidden=\"true\" width=\"160\" height=\"8\"><rect class=\"bar\" width=\"160\" height=\"8\"/>"
      + "<rect class=\"bar b-\(state.rawValue)\" x=\"\(left)\" width=\"\(width)\" height=\"8\"/></svg>"
  }
}
