import OperationFlow

extension Page {
  /// The log with its filters, and the data at the chosen event.
  var log: String {
    var text = """
      <section aria-labelledby="log-title" id="log" tabindex="-1">
      <h2 id="log-title">Log</h2>
      <form class="scripted filters" role="search" aria-label="Filter the log">
      <label>Text <input type="search" id="filter-text" autocomplete="off" spellcheck="false"></label>
      <label>Step <select id="filter-step"><option value="">All steps</option></select></label>
      <label>Level <select id="filter-level"><option value="0">All</option><option value="1">Information and above</option>
      <option value="2">Warnings and errors</option><option value="3">Errors</option></select></label>
      <label>Show <select id="filter-topic"><option value="">Everything</option>
      <option value="step">Starts and ends</option><option value="log">Log lines</option>
      <option value="data">Data</option></select></label>
      <button type="button" id="filter-none">Clear</button>
      <output id="count" for="filter-text filter-step filter-level filter-topic" aria-live="polite"></output>
      </form>
      <div class="log-box">
      <div id="rows" class="scroll rows"><div id="sizer">
      <table id="events" aria-label="Events of the run">
      <thead><tr><th scope="col" class="time">Time</th><th scope="col" class="who">Step</th>
      <th scope="col" class="word">Event</th><th scope="col" class="what">Text</th></tr></thead>
      <tbody>

      """
    for event in record.events.prefix(Self.rowLimit) { text += row(event) }
    text += "</tbody>\n</table>\n</div></div>\n"
    text += "<p class=\"hint\" id=\"printed\" hidden>Paper has the 500 rows around the chosen event.</p>\n"
    text += """
      <aside id="detail" class="scripted" aria-label="The chosen event and the data after it"><h3>Chosen event</h3>
      <p class="hint">Choose an event to see its text, and the data bucket as it was after it.</p></aside>
      </div>

      """
    if record.events.count > Self.rowLimit {
      text += "<p class=\"unscripted hint\">The first \(Self.rowLimit) of "
      text += "\(PageText.count(record.events.count, "event")); the others need a script.</p>\n"
    }
    return text + "</section>\n"
  }

  private func row(_ event: FlowEvent) -> String {
    let shown = PageEvent(event)
    var name = PageText.cut(event.source.name, 200)
    // A write to the run's bucket has the name of the step that wrote.
    if event.isOfRunsBucket { name = event.step.flatMap { record.step($0)?.name } ?? record.flowName }
    if let item = event.source.item { name += " " + item.itemNumber }
    if event.attempt > 1 { name += " (attempt \(event.attempt))" }
    var row = "<tr class=\"l-\(shown.level.rawValue)\"><td class=\"time\">"
    row += offset(event) + "</td><td class=\"who\"><bdi>"
    row += PageText.html(PageText.cut(name, 240)) + "</bdi></td><td class=\"word w-\(shown.word.rawValue)\">"
    row += shown.word.text + "</td><td class=\"what\"><bdi>"
    return row + PageText.html(PageText.cut(shown.line, 500)) + "</bdi></td></tr>\n"
  }
}
