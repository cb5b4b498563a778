import OperationFlow

extension FlowRecord {
  /// The record as a page in HTML that needs nothing else: no network, no other files, and no server.
  ///
  /// The page shows the outcome and its cause, the steps with their times, the log, the data at any event, a timeline,
  /// the critical path, the items of groups, and a diagram. Save it to a file and open the file in a browser. All data
  /// of the run is escaped, and a policy in the page forbids every script except its own. Without scripts, the page
  /// still shows the outcome, the steps, the diagram and the first rows of the log.
  ///
  /// The page is created on each access; its size grows with the number of events.
  public var page: String { Page(self).text }
}

extension FlowRun {
  /// The current state of the run as a page in HTML; while the run is under way, with the work that it waits for.
  ///
  /// Otherwise, the page is the ``FlowRecord/page`` of `FlowRun.record`.
  public var page: String {
    let (diagnosis, now) = (diagnosis(), currentTime.microseconds)
    return diagnosis.hasEnded ? Page(record).text : Page(record, diagnosis, at: now).text
  }
}

/// The page of a record, and its parts.
struct Page {
  /// The number of rows of the log that the page shows without scripts.
  static let rowLimit = 200

  let record: FlowRecord
  /// The diagnosis of a run that is under way; `nil` if the run has ended, or if the page is made from a record alone.
  let diagnosis: FlowDiagnosis?
  let tree: StepTree
  let timeline: PageTimeline
  let aftermath: RunAftermath
  /// The time of the first event.
  let start: Int64

  /// Prepares a page.
  ///
  /// - Parameters:
  ///   - record: The record of the run.
  ///   - diagnosis: The diagnosis of a run under way.
  ///   - now: The present time of a run under way, in microseconds since 1970.
  init(_ record: FlowRecord, _ diagnosis: FlowDiagnosis? = nil, at now: Int64? = nil) {
    self.record = record
    self.diagnosis = diagnosis
    tree = StepTree(record)
    timeline = PageTimeline(record, tree, until: now)
    aftermath = RunAftermath(record)
    start = record.events.first?.time.microseconds ?? 0
  }

  /// The whole page.
  var text: String {
    let title = PageText.html(PageText.cut(record.flowName, 200))
    var page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    page += "<meta http-equiv=\"Content-Security-Policy\" content=\"\(PagePolicy.text)\">\n"
    page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    page += "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
    page += "<title>\(title) – \(outcomeWord)</title>\n<style>\(PageStyle.text)</style>\n</head>\n<body>\n"
    page += PageIcons.text
    page += "<a class=\"skip\" href=\"#log\">Skip to the log</a>\n"
    page += header
    page += "<main>\n"
    page += cause
    // Failures are first.
    let hasOtherFailures = record.itemFailures.count > (record.ending?.failure?.item == nil ? 0 : 1)
    if hasOtherFailures { page += groups }
    page += stepTable
    page += log
    page += timelineSection
    page += criticalPath
    if !hasOtherFailures { page += groups }
    page += diagram
    page += "</main>\n"
    page += "<footer><p>\(facts)</p></footer>\n"
    page += "<script type=\"application/json\" id=\"data\">"
    appendData(to: &page)
    page += "</script>\n<script>\(PageScript.text)</script>\n</body>\n</html>\n"
    return page
  }

  /// The word for the state of the run.
  var outcomeWord: String { record.ending.map { FlowRecord.State($0.result).word } ?? "Under way" }

  /// The state of the run.
  var outcomeState: FlowRecord.State { record.ending.map { FlowRecord.State($0.result) } ?? .running }

  /// Returns a state as an icon and a word.
  static func chip(_ state: FlowRecord.State, _ word: String? = nil) -> String {
    "<span class=\"chip s-\(state.rawValue)\"><svg aria-hidden=\"true\" width=\"14\" height=\"14\">"
      + "<use href=\"#i-\(state.rawValue)\"/></svg>\(word ?? state.word)</span>"
  }

  /// Returns the path of a step as HTML; of a very long path, only the end.
  static func path(_ step: FlowRecord.Step, limit: Int = 160) -> String {
    PageText.html(PageText.cutAtStart(step.path.description, limit))
  }
}
