import Foundation
import OperationFlow
import OperationFlowStorage

/// The steps, the values and the signals of a run, from its journal and its mailbox.
public struct FlowStoredRecord: Sendable {
  /// A step of the flow, with its state.
  public struct Step: Sendable, Hashable {
    /// The path of the step in its flow.
    public let path: String
    /// The progress of the step, or the way in which it ended.
    public fileprivate(set) var state = State.notReached
    /// The number of the last attempt; 0 if none has begun.
    public fileprivate(set) var attempt = 0
    /// The number of a group's items that have ended.
    public fileprivate(set) var settledItemCount = 0
    /// The number of a group's items that have failed.
    public fileprivate(set) var failedItemCount = 0
    /// The number of a group's items that were cancelled.
    package fileprivate(set) var cancelledItemCount = 0
    /// True if the step is a choice of cases, and none of them matched.
    fileprivate var endsEarly = false
    /// The number of a group's items; `nil` if it isn't known.
    package fileprivate(set) var itemCount: Int?
    /// The index of the branch that was chosen.
    package fileprivate(set) var chosenBranch: Int?
    /// The state of the step before its undo.
    package fileprivate(set) var stateBeforeUndo: State?
  }

  /// The progress of a step, or the way in which it ended; texts of errors hide sensitive values.
  public enum State: Sendable, Hashable, CustomStringConvertible {
    /// The run has not begun the step.
    case notReached
    /// The step, or something within it, has begun.
    case atWork
    /// The step waits for a time, a date or a signal.
    case waiting
    /// An attempt has failed with an error, and another one is to follow.
    case retried(String)
    /// The step has succeeded.
    case succeeded
    /// The step has failed with an error.
    case failed(String)
    /// The step has failed, and recovered from the failure.
    case recovered
    /// The step was cancelled.
    case cancelled
    /// The step was skipped, because a condition was not met.
    case skipped
    /// The undo of the step has begun: the step has succeeded, or its effect is uncertain.
    case undoing
    /// The step was undone.
    case undone
    /// The undo of the step has failed with an error.
    case undoFailed(String)

    /// The state in a few words.
    public var description: String {
      switch self {
      case .notReached: "not reached"
      case .atWork: "at work"
      case .waiting: "waits"
      case .retried(let error): "is tried again: \(error)"
      case .succeeded: "succeeded"
      case .failed(let error): "failed: \(error)"
      case .recovered: "recovered"
      case .cancelled: "cancelled"
      case .skipped: "skipped"
      case .undoing: "undone now"
      case .undone: "undone"
      case .undoFailed(let error): "undo failed: \(error)"
      }
    }
  }

  /// A value of the data bucket.
  public struct Value: Sendable, Hashable {
    /// The name of the value.
    public let name: String
    /// The JSON of the value, cut after 200 characters; `<redacted>` if it is sensitive.
    public let text: String
  }

  /// A signal in the run's mailbox.
  public struct Message: Sendable, Hashable {
    /// The name of the signal.
    public let signal: String
    /// The time when it was sent.
    public let sent: Date
  }

  /// The run itself: its flow, its dates, and how it ended.
  public let run: FlowStoredRun
  /// The steps in the order of the flow, each before those within it.
  public private(set) var steps: [Step] = []
  /// The values in the order of their names.
  public private(set) var values: [Value] = []
  /// The signals in the run's mailbox, in the order in which they were sent.
  public fileprivate(set) var messages: [Message] = []

  private var writes: [String: StoredWrite] = [:]

  /// The shape of each step.
  package private(set) var shape: [StepShape] = []
  /// The events that the journal contains.
  package var events: [FlowEvent] { history?.all ?? [] }
  /// The end of the run, with the place of its failure; `nil` if it has not ended.
  package private(set) var ending: Ending?
  private var history: StoredEvents?
  private var isDecided = false

  /// The end of a run, and the place of its failure.
  package struct Ending: Sendable {
    package let duration: Duration
    /// The name of the step or item that failed; `nil` if none has.
    package let name: String?
    package let step: Int?
    package let item: Int?
    package let attempt: Int
  }

  /// Reads all entries of a journal.
  fileprivate init(_ run: FlowStoredRun, _ entries: [Data]) throws(FlowError) {
    self.run = run
    for data in entries { add(try JournalEntry(data)) }
    endCases()
    values = writes.values.sorted { $0.name < $1.name }.compactMap { write in
      write.text.map { Value(name: write.name, text: $0) }
    }
  }

  private mutating func add(_ entry: JournalEntry) {
    history?.add(entry)
    switch entry {
    case .begun(let beginning):
      shape = beginning.shape
      history = StoredEvents(beginning)
      steps = beginning.shape.map { Step(path: $0.path) }
      add(beginning.data)
    case .settled(let settlement):
      add(settlement)
      add(settlement.parts.writes)
    case .runs(let runs):
      for run in runs {
        if run.first.item != nil {
          change(run.first.step) { $0.settledItemCount += run.count }
        } else if let first = run.first.step, run.first.kind == .step {
          for step in first..<(first + min(run.count, steps.count)) {
            change(step) { $0.change(to: .succeeded, attempt: 1) }
          }
        }
      }
    case .waits(let wait): change(wait.step) { $0.change(to: .waiting, attempt: wait.attempt) }
    case .begins(let begin):
      guard begin.work.kind != .item else { return change(begin.work.step) { $0.state = .atWork } }
      change(begin.work.step) { $0.change(to: begin.work.kind == .undo ? .undoing : .atWork, attempt: begin.attempt) }
    case .ended(let ending):
      add(ending.data)
      let failure = ending.failure
      self.ending = Ending(
        duration: ending.duration, name: failure?.name, step: failure?.step, item: failure?.item,
        attempt: failure?.attempt ?? 1)
    case .decided: isDecided = true
    case .rests, .left: break
    }
  }

  private mutating func add(_ settlement: JournalSettlement) {
    let (work, attempt) = (settlement.work, settlement.attempt)
    if settlement.parts.claimed != nil { isDecided = true }
    if work.item != nil, work.kind != .undo, work.kind != .deliver { return addItem(settlement) }
    switch (work.kind, settlement.result) {
    case (.choose, .chosen(let branch)):
      change(work.step) {
        $0.change(to: branch == nil ? .succeeded : .atWork, attempt: attempt)
        $0.chosenBranch = branch
        $0.endsEarly = branch == nil
      }
    // A sequence that was cut off has not reached its own end.
    case (.pull, .pulledAll) where isDecided: break
    case (.plan, .planned(let count, _)):
      change(work.step) {
        $0.state = .atWork
        $0.itemCount = count
      }
    case (.pull, .pulledAll(let count)): change(work.step) { $0.itemCount = count }
    case (.recover, .succeeded): change(work.step) { $0.state = .recovered }
    case (.undo, .succeeded): change(work.step) { $0.state = .undone }
    case (.undo, .failed(let error, _)):
      change(work.step) { $0.state = .undoFailed(error.shownText) }
    case (.step, .succeeded), (.leave, .succeeded), (.collect, .succeeded):
      change(work.step) { $0.change(to: .succeeded, attempt: attempt) }
    case (_, .failed(let error, let delay)):
      let text = error.shownText
      change(work.step) { $0.change(to: delay == nil ? .failed(text) : .retried(text), attempt: attempt) }
    case (_, .cancelled): change(work.step) { $0.state = .cancelled }
    case (_, .skipped): change(work.step) { $0.state = .skipped }
    case (_, .entered): change(work.step) { $0.change(to: .atWork, attempt: attempt) }
    default: break
    }
  }

  private mutating func addItem(_ settlement: JournalSettlement) {
    // A failure may have a recovery.
    let isRecovery = settlement.work.kind == .recover
    change(settlement.work.step) { step in
      switch settlement.result {
      case .failed(_, .some): break
      case .failed where isRecovery: break
      case .failed:
        step.settledItemCount += 1
        step.failedItemCount += 1
      case .cancelled where isRecovery: break
      case .cancelled:
        step.settledItemCount += 1
        step.cancelledItemCount += 1
      case _ where isRecovery: step.failedItemCount = max(0, step.failedItemCount - 1)
      default: step.settledItemCount += 1
      }
    }
  }

  /// Ends the cases whose branches are at their ends, because no entry records that.
  private mutating func endCases() {
    let blocks = Dictionary(grouping: steps.indices) { shape[$0].block }
    // Steps within others follow them in the list.
    for step in steps.indices.reversed() {
      guard let branch = steps[step].chosenBranch, steps[step].state == .atWork else { continue }
      var isAtEnd = true
      for inner in blocks[ShapeBlock(owner: step, branch: branch)] ?? [] {
        if steps[inner].endsEarly { break }
        switch steps[inner].state {
        case .succeeded, .recovered, .skipped, .undoing, .undone, .undoFailed: continue
        case .notReached, .atWork, .waiting, .retried, .failed, .cancelled: isAtEnd = false
        }
      }
      if isAtEnd { steps[step].state = .succeeded }
    }
  }

  private mutating func change(_ step: Int?, _ body: (inout Step) -> Void) {
    if let step, steps.indices.contains(step) { body(&steps[step]) }
  }

  private mutating func add(_ new: [StoredWrite]) {
    for write in new {
      if let known = writes[write.name], known.number > write.number { continue }
      writes[write.name] = write
    }
  }
}

extension FlowStoredRecord.Step {
  fileprivate mutating func change(to state: FlowStoredRecord.State, attempt: Int) {
    if case .undoing = state {
      // Further attempts are those of the undo.
      stateBeforeUndo = stateBeforeUndo ?? self.state
      self.state = state
      return
    }
    self.state = state
    self.attempt = attempt
  }
}

extension StoredWrite {
  /// The value as text; `nil` if it was removed.
  var text: String? {
    switch value {
    case .removed: nil
    case .stored(let bytes): ValueText.cut(String(decoding: bytes.json.prefix(4_000), as: UTF8.self), limit: 200)
    case .sealed, .isSensitive: "<redacted>"
    case .isNotStored: "(not stored)"
    }
  }
}

extension FlowStore {
  /// Returns the steps, values and signals of a run, without the code of its flow.
  ///
  /// It reads the whole journal and the mailbox, on a thread that may wait for files. ``storedRun(_:)`` reads only the
  /// ends of the journal.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The record; `nil` if no run with that identifier has begun.
  /// - Throws: `FlowError` with the code `unreadableJournal` if an entry can't be read; `storeFailed` if the store
  ///   can't be read.
  public func record(of id: String) async throws -> FlowStoredRecord? {
    if id.isEmpty || Mailbox.isReserved(id) { return nil }
    return try await FileWork.perform {
      guard let run = try FlowStoredRun(id, in: self), let entries = try readJournal(of: id) else { return nil }
      var record = try FlowStoredRecord(run, entries)
      record.messages = (try Mailbox(run: id, store: self).entries()?.entries ?? []).map {
        FlowStoredRecord.Message(signal: $0.message.name, sent: $0.message.date)
      }
      return record
    }
  }
}
