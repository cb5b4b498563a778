import Foundation

extension FlowRecord {
  /// Returns the summary of the record, which is the summary of its run; the run may still be under way.
  ///
  /// - Parameter style: The form of the summary, and the form of its times.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle = .standard) -> String { style.form.text(self, style) }

  /// Returns the summary as a line for each event: all of them, as in Flow-iOS, or with large groups folded.
  func lines(style: FlowSummaryStyle, folds: Bool) -> String {
    let timeText = style.timeText()
    let folded = folds ? FoldedGroups(self) : nil
    var days = folds ? RunDays(self, style) : nil
    // "Flow" is the name of a flow without a name; flows of Flow-iOS have none.
    let title =
      (flowName == "Flow" ? "" : ": " + LineText.escaped(flowName)) + (hadEnded ? ", which had ended before" : "")
    var lines: [String] = []
    func add(_ line: String, at event: FlowEvent) {
      if let day = days?.newDay(of: event) { lines.append(day + "\n") }
      lines.append(timeText(event.date) + line + "\n")
    }
    // A run that ended before the process began has an ending, but no events.
    var ending = ending.map { "\($0.result == .succeeded)" + LineText.listed($0.text) }
    let failures = ListedFailures(self)
    // Events that were left out on both sides of unlisted lines are one gap.
    var gap = (events: 0, items: 0)
    for event in events where style.showsItemWrites || event.source.item == nil || event.kind.values.isEmpty {
      if case .leftOut(let events, let items) = event.kind {
        if gap.events > 0 { lines.removeLast() }
        gap = (gap.events + events, gap.items + items)
        let kind = FlowEvent.Kind.leftOut(events: gap.events, items: gap.items)
        add("\(FlowEvent.Source.record) \(kind.summaryText)", at: event)
        continue
      }
      if let folded {
        if folded.hides(event) { continue }
        for line in folded.takeLines(before: event) { add(line, at: event) }
        if case .flowFinished = event.kind { for line in folded.takeOtherLines() { add(line, at: event) } }
      }
      let line = failures.hides(event) ? failures.takeLine(for: event) : "\(event.source) \(event.summaryText(self))"
      guard let line else { continue }
      gap = (0, 0)
      add(line, at: event)
      if case .flowFinished(let how, _) = event.kind, ending == nil { ending = "\(how == .successfully)" }
    }
    if let folded, let last = events.last { for line in folded.takeOtherLines() { add(line, at: last) } }
    lines.append("Flow isSuccess: \(ending ?? "not finished")\n")
    if let place = cause?.placeText { lines.append(place + "\n") }
    return "====== Flow Summary\(title) ======\n" + lines.joined() + "======    Ending    ======\n"
  }
}

extension FlowEvent {
  /// Returns the event in the words of a summary; for a group, with the numbers of its items if some failed.
  package func summaryText(_ record: FlowRecord) -> String {
    let text = kind.summaryText(ofAttempt: attempt)
    return switch kind {
    // Each of the values has a line of its own.
    case .flowStarted, .flowFinished: text
    case .groupStopped: LineText.escaped(step.flatMap(record.step)?.kind.stopText ?? text)
    case .groupFinished: LineText.escaped(step.flatMap(record.step)?.items?.failureText ?? text)
    default: LineText.escaped(text)
    }
  }
}

extension FlowEvent.Kind {
  package var summaryText: String { summaryText(ofAttempt: 1) }

  /// Returns the event in the words of a summary, with the number of its attempt unless it is the first.
  func summaryText(ofAttempt attempt: Int) -> String {
    let number = attempt > 1 ? " (attempt \(attempt))" : ""
    return switch self {
    case .flowStarted(let items): "start with:" + Self.lines(items)
    case .flowFinished(_, let items): "end with:" + Self.lines(items)
    case .started: "WillStart" + number
    case .finished(let finish): "DidFinish\(number): " + finish.summaryText
    case .recovered(let finish): "DidFinish: recovered from " + finish.summaryText
    case .endedLate(let finish): "ended after its timeout (ignored): " + finish.summaryText
    case .undoStarted: "Undo WillStart" + number
    case .undoFinished(let finish): "Undo DidFinish\(number): " + finish.summaryText
    // Plain lines have the form of Flow-iOS; a more important line begins with its level, as a warning of the library
    // does.
    case .logged(let message, let level): level > .info ? "\(level): \(message)" : message
    case .progressed(let step): "step: " + step
    case .warned(let message): "warning: " + message
    case .added(let name, let text): "add for \(name): \(text)"
    case .replaced(let name, let old, let new): "replace for \(name): \(old) -> \(new)"
    case .removed(let name, let old): "remove for \(name): \(old)"
    case .groupCreated(let count): "group created: \(count)"
    case .groupStarted: "group started: its items are taken as there is room"
    case .groupIsEmpty(let input): "no operation to run for group: <\(input)> is empty"
    case .groupFinished(let count): "all finished. output size: \(count)"
    case .groupStopped: "not allow failure in group. stop immediately."
    case .caseChosen(let name): "chosen: \(name)"
    case .noCaseMatched(let held): "no case is matched. finished in early. \(held)"
    case .skipped(let held): "skipped: its condition is not met." + (held.isEmpty ? "" : " " + held)
    case .paused: "pause"
    case .resumed: "resume"
    case .cancelRequested: "cancel"
    case .leftOut(0, let items): ValueText.count(items, "item") + " ended before the resume"
    case .leftOut(let events, let items):
      ValueText.count(events, "event") + " left out, " + ValueText.count(items, "item") + " ended in "
        + (events == 1 ? "it" : "them")
    }
  }

  private static func lines(_ items: [FlowEvent.Item]) -> String {
    items.map { "\n" + LineText.escaped("\($0.name): \($0.text)") }.joined()
  }
}

extension FlowReport {
  /// The summary in its default style.
  public var summary: String { summary(style: .standard) }

  /// Returns the summary; in the standard style, a line `TIME [WHO] WHAT` for each event, and then the run's result.
  ///
  /// The items of a group have such lines only if there are at most 20 of them. A larger group has lines with the
  /// counts, the slowest items, the retried items, and the first 20 that failed.
  ///
  /// - Parameter style: The form of the summary, and of its times.
  /// - Returns: The summary's text.
  public func summary(style: FlowSummaryStyle) -> String { record.summary(style: style) }
}

/// The days of a run that lasted several: a line with the date precedes the events of each.
private struct RunDays {
  private let zone: TimeZone
  private var last: Int?

  init?(_ record: FlowRecord, _ style: FlowSummaryStyle) {
    zone = style.timeZone
    guard style.timeStyle != .none, let first = record.events.first, let last = record.events.last,
      day(of: first.date) != day(of: last.date)
    else { return nil }
  }

  /// Returns the number of a date's day in the time zone.
  private func day(of date: Date) -> Int? {
    Int(exactly: ((date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))) / 86_400).rounded(.down))
  }

  /// Returns the date of an event, such as `2026-01-31:`, unless the previous event was on the same day.
  mutating func newDay(of event: FlowEvent) -> String? {
    let day = day(of: event.date)
    if day == last { return nil }
    last = day
    return event.date.formatted(Date.ISO8601FormatStyle(timeZone: zone).year().month().day()) + ":"
  }
}

/// The failed items that a summary lists: the first ones of each group, so that its size doesn't grow with their
/// number.
package final class ListedFailures {
  /// The number of failed items of a group that are listed; the rest are counted.
  static let limit = 20

  /// The items that are not listed.
  private var hidden: Set<String> = []
  /// The numbers of failed items that are not listed, by group; 0 after they were mentioned.
  private var counts = [Int: Int]()

  package init(_ record: FlowRecord) {
    for event in record.events {
      // A failed item may have another attempt, or recover: only its last end counts.
      guard case .finished(let finish) = event.kind, !event.isRetried, !event.isRecovering,
        finish.errorText != nil, let name = Self.name(of: event)
      else { continue }
      let count = counts[Int(event.source.step), default: 0] + 1
      counts[Int(event.source.step)] = count
      if count > Self.limit { hidden.insert(name) }
    }
    for (group, count) in counts {
      // A record may have left out failures; the run's own count is exact.
      counts[group] = count > Self.limit ? max(count, record.step(group)?.items?.failed ?? 0) - Self.limit : 0
    }
  }

  /// Returns an item's name in `hidden`, which contains the number of its group.
  private static func name(of event: FlowEvent) -> String? { event.source.item.map { "\(event.source.step) \($0)" } }

  package func hides(_ event: FlowEvent) -> Bool {
    !hidden.isEmpty && Self.name(of: event).map(hidden.contains) ?? false
  }

  /// Returns the line for all failed items of a group that are not listed, only once.
  package func takeLine(for event: FlowEvent) -> String? {
    guard let count = counts[Int(event.source.step)], count > 0 else { return nil }
    counts[Int(event.source.step)] = 0
    let group = event.path.map { " of " + LineText.escaped($0.description) } ?? ""
    return "\(FlowEvent.Source.record) \(count) more failed items\(group) are not listed; the report has them"
  }
}
