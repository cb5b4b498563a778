import OperationFlow

extension Page {
  /// The diagram of the flow.
  var diagram: String {
    var drawing = PageDiagramDrawing(PageDiagram(tree), record)
    var text = "<section aria-labelledby=\"diagram-title\">\n<h2 id=\"diagram-title\">Diagram</h2>\n"
    guard !record.steps.isEmpty else { return text + "<p class=\"empty\">The record has no steps.</p>\n</section>\n" }
    text += "<div class=\"scroll diagram-box\" tabindex=\"0\" role=\"region\" aria-labelledby=\"diagram-title\">\n"
    text += drawing.drawn()
    text += "</div>\n<p class=\"hint\">A solid line is the way that the run took; a dashed one was not taken."
    text += "<span class=\"scripted\"> Choose a step to see only its events in the log.</span></p>\n"
    return text + "</section>\n"
  }

  /// The section for the timeline; the script draws the chart.
  var timelineSection: String {
    var text = "<section aria-labelledby=\"timeline-title\">\n<h2 id=\"timeline-title\">Timeline</h2>\n"
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
      0 to show all.</p></div>
      <noscript><p class="hint">The chart is drawn by a script, which this browser doesn’t run.</p></noscript>

      """
    return text + missing + "</section>\n"
  }

  /// The section with the parts of the run's time, which add up to the run; empty if no step has begun.
  var criticalPath: String {
    guard !timeline.spans.isEmpty else { return "" }
    let parts = timeline.parts
    let listed = parts.steps.prefix(10), others = parts.steps.dropFirst(10)
    var text = "<section aria-labelledby=\"path-title\">\n<h2 id=\"path-title\">Where the time went</h2>\n"
    text += "<table class=\"shares\"><caption>Critical path: the steps that determined how long the run took"
    text += "</caption>\n"
    text += "<thead><tr><th scope=\"col\">Step</th><th scope=\"col\" class=\"number\">Time</th>"
    text += "<th scope=\"col\" class=\"number\">Share</th><td class=\"wide\"></td></tr></thead>\n<tbody>\n"
    for share in listed { text += part("<bdi>\(Self.path(tree.steps[share.step]))</bdi>", share.duration) }
    let rest = others.reduce(0) { $0 &+ $1.duration }
    if rest > 0 { text += part("<em>\(PageText.count(others.count, "shorter step"))</em>", rest) }
    if parts.waits > 0 { text += part("<em>Steps that waited for a time or a signal</em>", parts.waits) }
    if parts.delays > 0 { text += part("<em>Between the attempts of a step</em>", parts.delays) }
    if parts.undos > 0 { text += part("<em>Undoing</em>", parts.undos) }
    if parts.rest > 0 { text += part("<em>Between the steps, or not in the record</em>", parts.rest) }
    return text + "</tbody></table>\n</section>\n"
  }

  private func part(_ name: String, _ duration: Int64) -> String {
    let percent = min(max(Double(duration) / Double(max(timeline.end, 1)) * 100, 0), 100)
    let width = max(Int(percent * 1.6), 1)
    return "<tr><th scope=\"row\">\(name)</th><td class=\"number\">\(DurationText.of(.microseconds(duration)))</td>"
      + "<td class=\"number\">\(percent < 0.5 ? "&lt;1" : "\(Int(percent.rounded()))") %</td>"
      + "<td class=\"wide\"><svg aria-hidden=\"true\" width=\"160\" height=\"8\">"
      + "<rect class=\"bar\" width=\"160\" height=\"8\"/>"
      + "<rect class=\"bar b-critical\" width=\"\(width)\" height=\"8\"/></svg></td></tr>\n"
  }

  /// The hints about items that the timeline doesn't show because the record has left out events, and about full lanes.
  private var missing: String {
    let missing = timeline.missing
    let shown = missing.prefix(10).map { group in
      "<p class=\"hint missing\">\(PageText.count(group.items, "item")) of <bdi>"
        + Self.path(tree.steps[group.step]) + "</bdi> \(group.items == 1 ? "isn’t" : "aren’t") drawn: the record has "
        + "left out \(PageText.count(group.events, "event")) of that step, so it isn’t known when they began or ended.</p>\n"
    }
    let rest = missing.count - shown.count
    let crowded = timeline.crowded.sorted().prefix(10).map { step in
      "<p class=\"hint missing\">The last lane of <bdi>\(Self.path(tree.steps[step]))</bdi> has all items that were at "
        + "work beside \(PageTimeline.laneLimit - 1) others, one over the other.</p>\n"
    }
    return shown.joined() + crowded.joined()
      + (rest > 0 ? "<p class=\"hint missing\">The same is true of \(PageText.count(rest, "more group")).</p>\n" : "")
  }
}
