import Foundation

/// The summary of a record, in the predecessor's form: a fold over its events.
struct Summary {
  let events: [FlowEvent]
  let style: FlowSummaryStyle

  var text: String {
    let clock = SummaryClock(style: style)
    var text = "====== Flow Summary ======\n"
    var ending = "not finished"
    for event in events {
      text += clock.text(of: event.date) + " " + event.source.description + " " + event.kind.summaryText + "\n"
      if case .flowFinished(let how, _) = event.kind { ending = how == .successfully ? "true" : "false" }
    }
    return text + "Flow isSuccess: \(ending)\n======    Ending    ======\n"
  }
}

/// Formats dates; the formatter is made once for a summary, as making one costs more than many lines.
private struct SummaryClock {
  private let formatter = DateFormatter()

  init(style: FlowSummaryStyle) {
    // The fixed locale keeps the form the same everywhere, with a plain space before AM and PM.
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = style.timeZone
    formatter.dateFormat = style.timeStyle.format
  }

  func text(of date: Date) -> String { formatter.string(from: date) }
}

extension FlowEvent.Kind {
  /// What happened, as a summary says it.
  var summaryText: String {
    switch self {
    case .flowStarted(let items): "start with:" + Self.lines(items)
    case .flowFinished(_, let items): "end with:" + Self.lines(items)
    case .started: "WillStart"
    case .finished(let finish): "DidFinish: " + finish.summaryText
    case .logged(let message, _): message
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
    case .paused: "pause"
    case .resumed: "resume"
    case .cancelRequested: "cancel"
    case .leftOut(let events, let items): "\(events) events left out, \(items) items ended in them"
    }
  }

  private static func lines(_ items: [FlowEvent.Item]) -> String {
    items.map { "\n\($0.name): \($0.text)" }.joined()
  }
}
