import OperationFlow

/// The groups with their items.
extension Page {
  /// The groups with their items, failures first; empty if the flow has none.
  var groups: String {
    let groups = record.steps.filter { $0.items != nil }
    guard !groups.isEmpty else { return "" }
    let groupItems = RecordedItems.all(in: record)
    let failures = Dictionary(grouping: record.itemFailures.sorted { $0.index < $1.index }) { $0.step ?? -1 }
    var text = "<section aria-labelledby=\"groups-title\">\n<h2 id=\"groups-title\">Groups</h2>\n"
    let sorted = groups.filter { $0.items?.failed ?? 0 > 0 } + groups.filter { $0.items?.failed ?? 0 == 0 }
    for step in sorted.prefix(100) {
      guard let items = step.items else { continue }
      text += "<article class=\"group\"><h3><bdi>\(Self.path(step))</bdi></h3>\n<p>" + Self.chip(step.state)
      text += " \(items.text(hasEnded: step.state != .running && step.state != .waiting))</p>\n"
      text += "<svg class=\"items\" aria-hidden=\"true\" width=\"100%\" height=\"8\" viewBox=\"0 0 600 8\" "
      text += "preserveAspectRatio=\"none\">" + items.bar(x: 0, y: 0, width: 600, height: 8) + "</svg>\n"
      text += notableItems(of: groupItems[step.id], items)
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

  /// Returns the slowest items of a group, if there are more than 5, and the items with more than one attempt.
  private func notableItems(of group: RecordedItems?, _ counts: FlowReport.Items) -> String {
    guard let group else { return "" }
    let slowest = group.slowest
    let count = group.items.count
    let known = count < counts.total ?? count ? " of the \(PageText.grouped(count)) in the record" : ""
    var text = ""
    if slowest.count > 5 {
      let listed = slowest.prefix(5).map { "\(Self.name($0, in: group)) \(DurationText.of($0.duration ?? .zero))" }
      text += "<p class=\"hint\"><strong>Slowest\(known):</strong> \(listed.joined(separator: ", "))</p>\n"
    }
    let retried = group.retried
    guard !retried.isEmpty else { return text }
    let listed = retried.prefix(10).map { "\(Self.name($0, in: group)) (\($0.attempts) attempts)" }
    let more = retried.count > 10 ? ["and \(PageText.count(retried.count - 10, "more item"))"] : []
    return text
      + "<p class=\"hint\"><strong>Retried\(known):</strong> \((listed + more).joined(separator: ", "))</p>\n"
  }

  /// Returns the number of an item, with the item's own name if it has one.
  private static func name(_ item: RecordedItems.Item, in group: RecordedItems) -> String {
    guard let name = group.name(of: item) else { return item.index.itemNumber }
    return "\(item.index.itemNumber) <bdi>\(PageText.html(PageText.cut(name, 60)))</bdi>"
  }
}
