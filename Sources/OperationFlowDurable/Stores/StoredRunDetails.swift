import Foundation
import OperationFlow
import OperationFlowStorage

/// What all entries of a run's journal tell of its steps and its values, without the code of its flow.
package struct StoredRunDetails: Sendable {
  /// A step of the flow, with what has become of it.
  package struct Step: Sendable {
    package let path: String
    package fileprivate(set) var state = "not reached"
    /// The number of the last attempt; 0 if none has begun.
    package fileprivate(set) var attempt = 0
    package fileprivate(set) var settledItemCount = 0
    package fileprivate(set) var failedItemCount = 0
  }

  /// A value of the data bucket, as text; what is sensitive is hidden.
  package struct Value: Sendable {
    package let name: String
    package let text: String
  }

  /// A signal that is in the mailbox.
  package struct Message: Sendable {
    package let signal: String
    package let date: Date
  }

  package private(set) var steps: [Step] = []
  /// The values in the order of their names.
  package private(set) var values: [Value] = []
  /// The signals in the run's mailbox, in the order in which they came.
  package fileprivate(set) var messages: [Message] = []

  private var writes: [String: StoredWrite] = [:]

  /// Reads all entries of a journal.
  fileprivate init(_ entries: [Data]) throws(FlowError) {
    for data in entries { note(try JournalEntry(data)) }
    values = writes.values.sorted { $0.name < $1.name }.compactMap { write in
      write.text.map { Value(name: write.name, text: $0) }
    }
  }

  private mutating func note(_ entry: JournalEntry) {
    switch entry {
    case .begun(let beginning):
      steps = beginning.shape.map { Step(path: $0.path) }
      note(beginning.data)
    case .settled(let settlement):
      note(settlement)
      note(settlement.parts.writes)
    case .runs(let runs):
      for run in runs {
        if run.first.item != nil {
          change(run.first.step) { $0.settledItemCount += run.count }
        } else if let first = run.first.step, run.first.kind == .step {
          for step in first..<(first + min(run.count, steps.count)) { change(step) { $0.end("succeeded", attempt: 1) } }
        }
      }
    case .waits(let wait): change(wait.step) { ($0.state, $0.attempt) = ("waits", wait.attempt) }
    case .begins(let begin):
      guard begin.work.kind != .item else { return change(begin.work.step) { $0.state = "at work" } }
      change(begin.work.step) {
        ($0.state, $0.attempt) = (begin.work.kind == .undo ? "undone now" : "at work", begin.attempt)
      }
    case .ended(let ending): note(ending.data)
    case .decided, .rests, .left: break
    }
  }

  private mutating func note(_ settlement: JournalSettlement) {
    let (work, attempt) = (settlement.work, settlement.attempt)
    if work.kind == .item {
      if case .failed(_, .some) = settlement.result { return }
      return change(work.step) { step in
        step.settledItemCount += 1
        if case .failed = settlement.result { step.failedItemCount += 1 }
      }
    }
    switch (work.kind, settlement.result) {
    case (.undo, .succeeded): change(work.step) { $0.state = "undone" }
    case (.undo, .failed(let error, _)):
      change(work.step) { $0.state = "undo failed: \(ValueText.describe(error: error))" }
    case (.step, .succeeded), (.leave, .succeeded), (.collect, .succeeded):
      change(work.step) { $0.end("succeeded", attempt: attempt) }
    case (_, .failed(let error, let delay)):
      let text = (delay == nil ? "failed: " : "is tried again: ") + ValueText.describe(error: error)
      change(work.step) { $0.end(text, attempt: attempt) }
    case (_, .cancelled): change(work.step) { $0.state = "cancelled" }
    case (_, .skipped): change(work.step) { $0.state = "skipped" }
    case (_, .entered), (_, .planned): change(work.step) { $0.state = "at work" }
    default: break
    }
  }

  private mutating func change(_ step: Int?, _ body: (inout Step) -> Void) {
    if let step, steps.indices.contains(step) { body(&steps[step]) }
  }

  private mutating func note(_ new: [StoredWrite]) {
    for write in new {
      if let known = writes[write.name], known.number > write.number { continue }
      writes[write.name] = write
    }
  }
}

extension StoredRunDetails.Step {
  fileprivate mutating func end(_ state: String, attempt: Int) { (self.state, self.attempt) = (state, attempt) }
}

extension StoredWrite {
  /// The value as text; `nil` if it was removed.
  fileprivate var text: String? {
    switch value {
    case .removed: nil
    case .stored(let bytes): ValueText.cut(String(decoding: bytes.json.prefix(4_000), as: UTF8.self), limit: 200)
    case .sealed, .isSensitive: "<redacted>"
    case .isNotStored: "(not stored)"
    }
  }
}

extension FlowStore {
  /// Reads all entries of a run's journal and mailbox; `nil` if there is no journal.
  package func storedDetails(of id: String) async throws -> StoredRunDetails? {
    try await FileWork.perform {
      guard let entries = try readJournal(of: id) else { return nil }
      var details = try StoredRunDetails(entries)
      let mailbox = Mailbox(run: id, store: self)
      details.messages = (try mailbox.entries()?.entries ?? []).map {
        StoredRunDetails.Message(signal: $0.message.name, date: $0.message.date)
      }
      return details
    }
  }
}
