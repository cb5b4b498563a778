import OperationFlow

/// The word for an event in the page's log.
enum PageWord: String, CaseIterable {
  case started, succeeded, failed, retried, cancelled, recovered, endedLate, undoStarted, undone, undoFailed, logged,
    progressed, warned, added, replaced, removed, group, caseChosen, noCase, skipped, paused, resumed,
    cancelRequested, leftOut, runStarted, runEnded

  /// The word itself.
  var text: String {
    switch self {
    case .started: "Started"
    case .succeeded: "Succeeded"
    case .failed: "Failed"
    case .retried: "Failed, retries"
    case .cancelled: "Cancelled"
    case .recovered: "Recovered"
    case .endedLate: "Ended late"
    case .undoStarted: "Undo started"
    case .undone: "Undone"
    case .undoFailed: "Undo failed"
    case .logged: "Log"
    case .progressed: "Reached"
    case .warned: "Warning"
    case .added: "Added"
    case .replaced: "Replaced"
    case .removed: "Removed"
    case .group: "Group"
    case .caseChosen: "Case"
    case .noCase: "No case"
    case .skipped: "Skipped"
    case .paused: "Paused"
    case .resumed: "Resumed"
    case .cancelRequested: "Cancel requested"
    case .leftOut: "Left out"
    case .runStarted: "Run started"
    case .runEnded: "Run ended"
    }
  }

  /// The topic, by which a reader can filter the log.
  var topic: String {
    switch self {
    case .logged, .warned, .progressed: "log"
    case .added, .replaced, .removed: "data"
    default: "step"
    }
  }
}

/// The form of an event in a page.
struct PageEvent {
  let word: PageWord
  let level: FlowLogLevel
  /// The text after the word; for a write, the name of the key.
  let text: String
  /// The new value of a write.
  var new: String?
  /// The old value of a write.
  var old: String?
  /// The values at the beginning or the end of the run.
  var data: [FlowEvent.Item]?

  init(_ event: FlowEvent) {
    func at(_ word: PageWord, _ level: FlowLogLevel = .info, _ text: String = "") -> PageEvent {
      PageEvent(word: word, level: level, text: text)
    }
    self =
      switch event.kind {
      case .flowStarted(let data): PageEvent(word: .runStarted, level: .info, text: "", data: data)
      case .flowFinished(let finish, let data):
        PageEvent(word: .runEnded, level: finish.level, text: finish.errorText ?? finish.word.text, data: data)
      case .started: at(.started)
      case .finished(let finish):
        event.isRetried
          ? at(.retried, .warning, finish.errorText ?? "") : at(finish.word, finish.level, finish.errorText ?? "")
      case .recovered(let finish): at(.recovered, .warning, finish.errorText ?? "")
      case .endedLate(let finish): at(.endedLate, .warning, finish.errorText ?? finish.word.text)
      case .undoStarted: at(.undoStarted)
      case .undoFinished(let finish):
        at(finish == .successfully ? .undone : .undoFailed, finish.level, finish.errorText ?? "")
      case .logged(let text, let level): at(.logged, level, text)
      case .progressed(let step): at(.progressed, .info, step)
      case .warned(let text): at(.warned, .warning, text)
      case .added(let name, let text): PageEvent(word: .added, level: .info, text: name, new: text)
      case .replaced(let name, let old, let new):
        PageEvent(word: .replaced, level: .info, text: name, new: new, old: old)
      case .removed(let name, let old): PageEvent(word: .removed, level: .info, text: name, old: old)
      case .groupCreated(let count): at(.group, .info, PageText.count(count, "item"))
      case .groupStarted: at(.group, .info, "items come one at a time")
      case .groupIsEmpty(let input): at(.group, .info, "no items in " + input)
      case .groupFinished(let count): at(.group, .info, "ended with " + PageText.count(count, "output"))
      case .groupStopped: at(.group, .error, "stopped: it tolerates no more failures")
      case .caseChosen(let text): at(.caseChosen, .info, text)
      case .noCaseMatched(let held): at(.noCase, .warning, held)
      case .skipped(let held): at(.skipped, .info, held)
      case .paused: at(.paused)
      case .resumed: at(.resumed)
      case .cancelRequested: at(.cancelRequested, .warning)
      case .leftOut(0, let items): at(.leftOut, .info, PageText.count(items, "item") + " ended before the resume")
      case .leftOut(let events, let items):
        at(
          .leftOut, .warning,
          PageText.count(events, "event")
            + (items > 0 ? ", with the ends of " + PageText.count(items, "item") : ""))
      }
  }

  private init(
    word: PageWord, level: FlowLogLevel, text: String, new: String? = nil, old: String? = nil,
    data: [FlowEvent.Item]? = nil
  ) {
    (self.word, self.level, self.text) = (word, level, text)
    (self.new, self.old, self.data) = (new, old, data)
  }

  /// The text of the event's row; for a write, with the values.
  var line: String {
    switch (new, old) {
    case (nil, nil): data.map { PageText.count($0.count, "value") } ?? text
    case (let new?, nil): text + " = " + new
    case (let new?, let old?): text + " = " + new + " (was " + old + ")"
    case (nil, let old?): text + " (was " + old + ")"
    }
  }
}

extension FlowEvent {
  /// True if the event reports a write to the run's own bucket; items of a group may have buckets of their own.
  var isOfRunsBucket: Bool { source.item == nil && source.name == "DataBucket" }

  /// Returns the time in microseconds after a moment, limited to 35 years, so that sums of times don't overflow.
  func microseconds(since start: Int64) -> Int64 { time.microseconds.microseconds(since: start) }
}

extension Int64 {
  /// Returns a time in microseconds after another one, limited to 35 years, so that sums of times don't overflow.
  func microseconds(since start: Int64) -> Int64 {
    let (time, isTooLarge) = subtractingReportingOverflow(start)
    return isTooLarge ? 0 : Swift.min(Swift.max(time, -(Int64(1) << 50)), Int64(1) << 50)
  }
}

extension FlowEvent.Finish {
  fileprivate var word: PageWord {
    switch self {
    case .successfully: .succeeded
    case .withError, .withInsufficientInputData, .withMismatchInputDataType: .failed
    case .cancelled: .cancelled
    }
  }

  fileprivate var level: FlowLogLevel {
    switch self {
    case .successfully: .info
    case .withError, .withInsufficientInputData, .withMismatchInputDataType: .error
    case .cancelled: .warning
    }
  }
}
