import OperationFlow

extension Page {
  /// The diagram of the flow.
  var diagram: String {
    var drawing = PageDiagramDrawing(PageDiagram(steps), record)
    var text = "<section aria-labelledby=\"diagram-title\">\n<h2 id=\"diagram-title\">Diagram</h2>\n"
    guard !record.steps.isEmpty else { return text + "<p class=\"empty\">The record has no steps.</p>\n</section>\n" }
    text += "<div class=\"scroll diagram-box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"diagram-title\">\n"
    text += drawing.drawn()
    text += "</div>\n<p class=\"hint\">A solid line is the way that the run took; a dashed one was not taken."
    text += "<span class=\"scripted\"> Choose a step to see only its events in the log.</span></p>\n"
    return text + "</section>\n"
  }

  /// When each step was at work; the chart itself is drawn by the script.
  var timelineSection: String {
    var text = "<section aria-labelledby=\"timeline-title\">\n<h2 id=\"timeline-title\">Timeline</h2>\n"
    let shares = timeline.shares
    guard !timeline.spans.isEmpty else { return text + "<p class=\"empty\">No step has begun.</p>\n</section>\n" }
    text += """
      <div class="scripted chart-box">
      <div class="tools" role="group" aria-label="What the timeline shows">
      <button type="button" id="zoom-in">Zoom in</button><button type="button" id="zoom-out">Zoom out</button>
      <button type="button" id="zoom-all">Show all</button>
      <button type="button" id="earlier">Earlier</button><button type="button" id="later">Later</button><span id="zoom-range" aria-live="polite"></span>
      <span class="legend"><i class="key critical"></i>critical path</span></div>
      <div id="chart" tabindex="0" role="group" aria-describedby="chart-hint"
       aria-label="Timeline of \(PageText.count(timeline.spans.count, "piece")) of work"></div>
      <p class="hint" id="chart-hint">Drag or use the arrow keys or the buttons to move, plus and minus to zoom,
      0 to show all. The table below has the steps that determined how long the run took.</p></div>
      <noscript><p class="hint">The chart is drawn by a script, which this browser doesn’t run.</p></noscript>

      """
    text += missing
    let total = max(timeline.end, 1)
    text += "<table class=\"shares\"><caption>Critical path: the steps that determined how long the run took"
    text += shares.count > 10 ? ", the longest 10 of \(PageText.grouped(shares.count))" : ""
    text += "</caption>\n<thead><tr><th scope=\"col\">Step</th><th scope=\"col\" class=\"number\">Time</th>"
    text += "<th scope=\"col\" class=\"number\">Share</th><td class=\"wide\"></td></tr></thead>\n<tbody>\n"
    for share in shares.prefix(10) {
      let percent = min(max(Double(share.duration) / Double(total) * 100, 0), 100)
      let width = max(Int(percent * 1.6), 1)
      text += "<tr><th scope=\"row\"><bdi>\(Self.path(steps.steps[share.step]))</bdi></th>"
      text += "<td class=\"number\">\(DurationText.of(.microseconds(share.duration)))</td>"
      text += "<td class=\"number\">\(percent < 0.5 ? "&lt;1" : "\(Int(percent.rounded()))") %</td>"
      text += "<td class=\"wide\"><svg aria-hidden=\"true\" width=\"160\" height=\"8\">"
      text += "<rect class=\"bar\" width=\"160\" height=\"8\"/>"
      text += "<rect class=\"bar b-critical\" width=\"\(width)\" height=\"8\"/></svg></td></tr>\n"
    }
    text += "</tbody></table>\n"
    if timeline.waitedDuration > 0 {
      let waited = DurationText.of(.microseconds(timeline.waitedDuration))
      text += "<p class=\"hint\">Besides, the run waited \(waited) for a time to pass or a signal to come.</p>\n"
    }
    return text + "</section>\n"
  }

  /// How many items of each group the timeline lacks, because the record has left them out.
  private var missing: String {
    let missing = timeline.missing
    let shown = missing.prefix(10).map { group in
      "<p class=\"hint missing\">\(PageText.count(group.items, "item")) of <bdi>"
        + Self.path(steps.steps[group.step]) + "</bdi> \(group.items == 1 ? "isn’t" : "aren’t") drawn: the record has "
        + "left out \(PageText.count(group.events, "event")) of that step, so it isn’t known when they began or ended.</p>\n"
    }
    let rest = missing.count - shown.count
    let crowded = timeline.crowded.sorted().prefix(10).map { step in
      "<p class=\"hint missing\">The last lane of <bdi>\(Self.path(steps.steps[step]))</bdi> has all items that were at "
        + "work beside \(PageTimeline.laneLimit - 1) others, one over the other.</p>\n"
    }
    return shown.joined() + crowded.joined()
      + (rest > 0 ? "<p class=\"hint missing\">The same is true of \(PageText.count(rest, "more group")).</p>\n" : "")
  }

  /// The groups with their items, failures first; empty if the flow has none.
  var groups: String {
    let groups = record.steps.filter { $0.items != nil }
    guard !groups.isEmpty else { return "" }
    let failures = Dictionary(grouping: record.itemFailures.sorted { $0.index < $1.index }) { $0.step ?? -1 }
    var text = "<section aria-labelledby=\"groups-title\">\n<h2 id=\"groups-title\">Groups</h2>\n"
    let sorted = groups.filter { $0.items?.failed ?? 0 > 0 } + groups.filter { $0.items?.failed ?? 0 == 0 }
    for step in sorted.prefix(100) {
      guard let items = step.items else { continue }
      text += "<article class=\"group\"><h3><bdi>\(Self.path(step))</bdi></h3>\n<p>" + Self.chip(step.state)
      text += " \(items.text(hasEnded: step.state != .running && step.state != .waiting))</p>\n"
      text += "<svg class=\"items\" aria-hidden=\"true\" width=\"100%\" height=\"8\" viewBox=\"0 0 600 8\" "
      text += "preserveAspectRatio=\"none\">" + items.bar(x: 0, y: 0, width: 600, height: 8) + "</svg>\n"
      text += failedItems(failures[step.id] ?? [], of: items.failed)
      text += "</article>\n"
    }
    if sorted.count > 100 { text += "<p class=\"hint\">\(PageText.count(sorted.count - 100, "more group")).</p>\n" }
    return text + "</section>\n"
  }

  private func failedItems(_ failures: [FlowRecord.ItemFailure], of count: Int) -> String {
    guard !failures.isEmpty else { return "" }
    var text = itemTable(failures.prefix(20), caption: "Items that failed")
    if failures.count > 20 {
      text += "<details><summary>\(PageText.count(failures.count - 20, "more item")) that failed</summary>\n"
      text += itemTable(failures.dropFirst(20), caption: "More items that failed") + "</details>\n"
    }
    if count > failures.count {
      text += "<p class=\"hint\">The record lists \(PageText.grouped(failures.count)) of "
      text += "\(PageText.count(count, "item")) that failed.</p>\n"
    }
    return text
  }

  private func itemTable(_ failures: ArraySlice<FlowRecord.ItemFailure>, caption: String) -> String {
    var text = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(caption)\">"
    text += "<table class=\"values\"><caption>\(caption)</caption>\n<thead><tr><th scope=\"col\">Item</th>"
    text += "<th scope=\"col\">Error</th><th scope=\"col\">Input</th>"
    text += "<th scope=\"col\" class=\"number\">Attempts</th></tr></thead>\n<tbody>\n"
    for failure in failures {
      text += "<tr><th scope=\"row\"><bdi>\(PageText.html(failure.name))</bdi></th>"
      text += "<td data-name=\"Error\">\(PageText.clamped(failure.error))</td>"
      text += "<td data-name=\"Input\">\(PageText.clamped(failure.input))</td>"
      text += "<td data-name=\"Attempts\" class=\"number\">\(failure.attempt)</td></tr>\n"
    }
    return text + "</tbody></table></div>\n"
  }
}
