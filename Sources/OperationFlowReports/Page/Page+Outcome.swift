import Foundation
import OperationFlow

extension Page {
  /// The header of the page: the flow's name, the outcome, and the numbers of the run.
  var header: String {
    let name = PageText.html(PageText.cut(record.flowName, 400))
    var text = "<header class=\"top s-\(outcomeState.rawValue)\">\n<div class=\"title\">"
    text += "<p class=\"kicker\">Flow</p><h1><bdi>\(name.isEmpty ? "(no name)" : name)</bdi></h1></div>\n"
    text += "<button id=\"theme\" type=\"button\" hidden>Theme: automatic</button>\n"
    text += "<div class=\"outcome\">" + Self.chip(outcomeState, outcomeText)
    if aftermath.notUndoneCount > 0 {
      text += " " + Self.chip(.failed, PageText.count(aftermath.notUndoneCount, "undo", "undos") + " failed")
    }
    text += "</div>\n<dl class=\"facts\">"
    for (term, value) in numbers { text += "<div><dt>\(term)</dt><dd>\(value)</dd></div>" }
    return text + "</dl>\n</header>\n"
  }

  private var outcomeText: String {
    record.ending?.failure?.isRefusal == true ? "Refused: nothing ran" : outcomeWord
  }

  private var numbers: [(String, String)] {
    var numbers: [(String, String)] = []
    if let first = record.events.first { numbers.append(("Started", Self.time(first.date))) }
    if record.ending != nil, let last = record.lastEvent { numbers.append(("Ended", Self.time(last.date))) }
    let duration = record.ending?.duration ?? .microseconds(timeline.end)
    numbers.append((record.ending == nil ? "So far" : "Took", DurationText.of(duration)))
    if record.steps.contains(where: { $0.beforeResume != nil }) { numbers.append(("Resumed", "from its journal")) }
    numbers.append(("Steps", stepCounts))
    let groups = record.steps.compactMap(\.items)
    if !groups.isEmpty { numbers.append(("Items", Self.sum(groups).text(hasEnded: record.ending != nil))) }
    let kept = PageText.grouped(record.events.count { if case .leftOut = $0.kind { false } else { true } })
    numbers.append(("Events", leftOut > 0 ? kept + " recorded, \(PageText.grouped(leftOut)) left out" : kept))
    return numbers
  }

  /// Returns a date in universal time; the script replaces it by the date in the reader's time zone.
  static func time(_ date: Date) -> String {
    let text = date.formatted(.iso8601.dateSeparator(.dash).timeSeparator(.colon))
    let shown = text.replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: " UTC")
    return "<time datetime=\"\(text)\">\(shown)</time>"
  }

  /// The section with the failure and the inputs of the failed step; for other runs, a note about the outcome.
  var cause: String {
    guard let failure = record.ending?.failure else { return note }
    let step = failure.step.flatMap { record.step($0) }
    var text = "<section aria-labelledby=\"cause-title\" class=\"cause\">\n<h2 id=\"cause-title\">Why it failed</h2>\n"
    text += "<div class=\"error\">\(PageText.clamped(failure.problem))</div>\n"
    if let remedy = failure.remedy, !remedy.isEmpty {
      text += "<p class=\"remedy\"><strong>What to do:</strong> <bdi>\(PageText.html(remedy))</bdi></p>\n"
    }
    text += "<dl class=\"facts\">"
    text += "<div><dt>Failed in</dt><dd><bdi>"
    let link = step.map { "<a href=\"#steps-title\" data-row=\"\($0.id)\">\(Self.path($0, limit: 400))</a>" }
    text += link ?? PageText.html(PageText.cut(failure.name, 400))
    text += "</bdi></dd></div>"
    if let item = failure.item { text += "<div><dt>Item</dt><dd>\(item.itemNumber)</dd></div>" }
    if failure.attempt > 1 { text += "<div><dt>Attempt</dt><dd>\(failure.attempt)</dd></div>" }
    if let event = failureEvent {
      let time = offset(record.events[event])
      text += "<div><dt>After</dt><dd><a href=\"#log\" data-event=\"\(event)\">\(time)</a></dd></div>"
    }
    if let item = failure.item { text += value(of: item, in: step) }
    text += "</dl>\n"
    text += undos
    if let step { text += values(step) }
    return text + "</section>\n"
  }

  /// The undos that failed, with their errors; empty if there are none.
  private var failedUndos: String {
    let (failures, limit) = (aftermath.undoFailures, 20)
    let texts = failures.map { failure in
      let step = failure.step.flatMap { record.step($0)?.path.description } ?? failure.source.name
      let item = failure.source.item.map { " " + $0.itemNumber } ?? ""
      return "<div class=\"error\"><strong>Undo failed:</strong> "
        + PageText.clamped("\(step)\(item): \(failure.errorText)") + "</div>\n"
    }
    // The record may have left out some of their events.
    let lostCount = max(0, aftermath.notUndoneCount - failures.count)
    let lost =
      lostCount == 0 ? "" : "<p class=\"note\">\(PageText.count(lostCount, "more undo", "more undos")) failed.</p>\n"
    guard failures.count > limit else { return texts.joined() + lost }
    let rest = PageText.count(failures.count - limit, "more undo", "more undos")
    return texts.prefix(limit).joined() + "<details><summary>\(rest) failed</summary>\n"
      + texts.dropFirst(limit).joined() + "</details>\n" + lost
  }

  /// The results of undos after a failure, the failed undos first.
  private var undos: String {
    let undone = record.steps.filter { aftermath.undoneCount(of: $0.id) > 0 }
    let listed = undone.prefix(10).map { step in
      let count = aftermath.undoneCount(of: step.id)
      let items = step.items == nil ? "" : " (\(PageText.count(count, "item")))"
      return "<bdi>\(Self.path(step))</bdi>\(items)"
    }
    let rest = undone.count > 10 ? [PageText.count(undone.count - 10, "more step")] : []
    let least = aftermath.mayHaveMoreUndos ? "Undone at least: " : "Undone: "
    let isRefusal = record.ending?.failure?.isRefusal ?? false
    let none = isRefusal || aftermath.notUndoneCount > 0 ? "" : "<p class=\"note\">Nothing was undone.</p>\n"
    let note = "<p class=\"note\">\(least)\((listed + rest).joined(separator: ", ")).</p>\n"
    return failedUndos + (undone.isEmpty ? none : note)
  }

  /// The note about the state or the end of a run that hasn't failed.
  private var note: String {
    let text: String
    switch record.ending?.result {
    case nil:
      if let diagnosis { return Self.section(of: diagnosis) }
      text = "The run was under way when this page was made."
    case .cancelled?:
      let cause = record.ending?.text ?? ""
      // The text completes the last line of a summary, so it may repeat the word "cancelled".
      let isRepeated = cause.hasPrefix(", cancelled by ")
      text = "The run was cancelled" + (isRepeated ? String(cause.dropFirst(", cancelled".count)) : cause) + "."
    case .succeeded?, .failed?:
      text = (record.ending?.text ?? "").trimmingCharacters(in: CharacterSet(charactersIn: ", "))
    }
    let shown = text.isEmpty ? "" : "<p class=\"note\"><bdi>\(PageText.html(PageText.cut(text, 2_000)))</bdi></p>\n"
    return shown + failedUndos
  }

  /// Returns the section with the work that the run waited for.
  private static func section(of diagnosis: FlowDiagnosis) -> String {
    "<section aria-labelledby=\"diagnosis-title\">\n<h2 id=\"diagnosis-title\">What it was doing</h2>\n"
      + "<p class=\"note\">The run was under way when this page was made.</p>\n"
      + "<pre tabindex=\"0\"><bdi>\(PageText.html(PageText.cut(diagnosis.description, 8_000)))</bdi></pre>\n</section>\n"
  }

  /// The position of the event that reported the failure; `nil` if it isn't recorded.
  var failureEvent: Int? {
    guard let failure = record.ending?.failure, let step = failure.step else { return nil }
    return record.events.lastIndex { event in
      guard event.step == step, event.source.item == failure.item, case .finished(let finish) = event.kind else {
        return false
      }
      return finish != .successfully
    }
  }

  /// Returns the table of the values that a step declares to read, as they were when the step failed.
  private func values(_ step: FlowRecord.Step) -> String {
    guard !step.inputs.isEmpty else { return "" }
    let bucket = PageBucket(record.events, before: failureEvent ?? record.events.count)
    var text = "<table class=\"values\"><caption>The values that it reads, as they were when it failed</caption>\n"
    text += "<thead><tr><th scope=\"col\">Key</th><th scope=\"col\">Value</th><th scope=\"col\">Written by</th></tr>"
    text += "</thead>\n<tbody>\n"
    for name in step.inputs {
      let value = bucket.texts.text(of: name) { PageText.clamped($0) }
      text += "<tr><th scope=\"row\"><bdi>\(PageText.html(name))</bdi></th><td>"
      text += value ?? "<em>\(BucketTexts.unknown)</em>"
      let writer = value == nil ? nil : bucket.writers[name].map(writer)
      text += "</td><td class=\"plain\"><bdi>\(writer ?? "")</bdi></td></tr>\n"
    }
    return text + "</tbody></table>\n"
  }

  /// Returns the HTML for the value of the item that made the run fail; empty if the record doesn't contain the item.
  private func value(of item: Int, in step: FlowRecord.Step?) -> String {
    guard let failed = record.itemFailures.last(where: { $0.step == step?.id && $0.index == item }) else { return "" }
    return "<div class=\"item\"><dt>Its value</dt><dd>\(PageText.clamped(failed.input))</dd></div>"
  }

  /// Returns the time of an event after the run's start.
  func offset(_ event: FlowEvent) -> String { PageText.offset(event.microseconds(since: start), of: timeline.end) }

  private func writer(_ event: FlowEvent) -> String {
    event.step.flatMap { record.step($0) }.map { Self.path($0) } ?? "the start of the run"
  }

  /// The origin of the page, and the data that is missing from it.
  var facts: String {
    let run = record.runID.map { " <code>\(PageText.html($0))</code>" } ?? ""
    var facts = ["Made from the record of the run\(run) by OperationFlow."]
    if leftOut > 0 {
      facts.append(
        "The record has left out \(PageText.count(leftOut, "event")), so the timeline and the data have gaps.")
    }
    if record.skippedEventCount > 0 {
      facts.append("\(PageText.count(record.skippedEventCount, "event")) of unknown kinds were skipped.")
    }
    return facts.joined(separator: " ")
  }
}
