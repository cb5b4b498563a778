import Foundation
import OperationFlow
import OperationFlowStorage

/// The journal of a run as it was found in a store, with its entries.
struct FoundJournal: Sendable {
  let journal: any FlowJournal
  /// The repair that was made when the journal was opened; `nil` if there was none.
  let repair: String?
  /// The size in bytes when the journal was opened.
  let size: Int
  /// The beginning of the run; `nil` if it hasn't begun.
  private(set) var beginning: JournalBeginning?
  /// The end of the run; `nil` if it hasn't ended.
  private(set) var ending: JournalEnding?
  /// The entries after the beginning, if the run hasn't ended.
  private(set) var entries: [Data] = []
  /// The entries between the beginning and the end, if the run has ended.
  private(set) var endedEntries: [Data] = []

  /// Opens the journal of a run, on a thread that may wait for a file.
  static func open(_ id: String, _ store: any FlowStore) async throws -> FoundJournal {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    return try await FileWork.perform { try FoundJournal(try store.openJournal(of: id), of: id) }
  }

  private init(_ opened: FlowOpenJournal, of id: String) throws {
    (journal, repair, size) = (opened.journal, opened.repair, RunJournal.size(of: opened.entries))
    do {
      let found = opened.entries
      guard let first = found.first else { return }
      guard case .begun(let beginning) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
      self.beginning = beginning
      if let last = found.last, found.count > 1, JournalEntry.isEnding(last),
        case .ended(let ending) = try JournalEntry(last)
      {
        self.ending = ending
        endedEntries = found.dropFirst().dropLast()
      } else {
        entries = Array(try RunsLeftHere.shared.complete(found, of: id, beginning.flowName, journal).dropFirst())
      }
    } catch {
      journal.close()
      throw error
    }
  }
}

extension FoundJournal {
  /// Sets the entries of a run that has begun, and hasn't ended.
  mutating func begin(_ beginning: JournalBeginning, _ entries: [Data]) {
    self.beginning = beginning
    self.entries = entries
    ending = nil
  }

  /// Throws if another flow began the run, even if the run has ended; for a renamed flow, changes have to be accepted.
  ///
  /// A journal without the name of a flow is accepted for any flow.
  func checkFlow(_ name: String, _ id: String, _ acceptsChanges: Bool) throws(FlowError) {
    guard !acceptsChanges, let old = beginning?.flowName, !old.isEmpty, old != name else { return }
    throw .otherFlow(id, of: old, for: name)
  }

  /// The last entry if the run rests; `nil` if it is another entry.
  var rest: JournalRest? {
    guard let last = entries.last, case .rests(let rest)? = try? JournalEntry(last) else { return nil }
    return rest
  }

  /// Lets a flow of another shape or name resume the run, if it is equal up to the point that the run has reached.
  ///
  /// - Returns: The change; `nil` if there is none.
  /// - Throws: `FlowError` with the code `changedFlow` if it differs there, or if changes aren't accepted.
  mutating func adopt(
    _ shape: @autoclosure () -> [StepShape], of name: String, _ id: String, _ acceptsChanges: Bool
  ) throws -> ChangedShape? {
    // A run that begins has no shape to compare, and making one needs time.
    guard let beginning else { return nil }
    let shape = shape()
    let old = beginning.version < 4 ? beginning.shape.completed(from: shape) : beginning.shape
    let error = FlowError.changedFlow(id, from: old, to: shape)
    if let error, !acceptsChanges { throw error }
    if error == nil, beginning.flowName == name { return nil }
    let change = try ChangedShape(id, from: old, to: shape, reached: try ResumePosition(entries, in: old))
    if !change.keepsNumbers { entries = try entries.map { try change.moved($0) } }
    self.beginning = JournalBeginning(
      flowName: name, date: beginning.date, shape: shape, data: beginning.data, version: beginning.version)
    return change
  }
}

extension JournalEntry {
  /// Returns true if an entry is the last one of a run.
  static func isEnding(_ data: Data) -> Bool { data.first == Kind.ended.rawValue }
}

/// Work with files, which must not block a thread of the language's pool.
enum FileWork {
  /// Threads that may be blocked: on Linux, Dispatch's concurrent queues share theirs with the language's pool.
  private static let threads = LaneQueue(name: "OperationFlow.FileWork")

  /// Performs work with a store.
  ///
  /// - Throws: The store's error as a `FlowError`, which has a remedy; a cancellation stays one.
  static func perform<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      threads.add(1) {
        do { continuation.resume(returning: try work()) } catch {
          continuation.resume(throwing: error is CancellationError ? error : FlowError.storeError(error))
        }
      }
    }
  }
}

extension FlowError {
  /// Returns an error of a store as a `FlowError`.
  static func storeError(_ error: any Error) -> FlowError { error as? FlowError ?? .storeFailure(error) }
}

extension RunJournal {
  /// Replaces the entries of an earlier shape of the flow by those of the flow that resumes the run.
  func rewrite(_ found: FoundJournal, for change: ChangedShape, hiding signals: Set<String>) async throws {
    guard var beginning = found.beginning else { return }
    beginning.hiddenSignals = signals.sorted()
    let moved = change.keepsNumbers ? [] : found.entries
    try await replaceFirst(moved.count + 1, with: [JournalEntry.begun(beginning).data] + moved)
  }

  /// Appends the first entry, and synchronizes it.
  func begin(_ beginning: JournalBeginning) async throws {
    let entry = JournalEntry.begun(beginning).data
    try await FileWork.perform { [self] in try appendFirst(entry) }
    try await resume()
  }

  /// Synchronizes the entries that were appended so far, before anything depends on them.
  func resume() async throws {
    guard durability.way != .operatingSystem else { return }
    do { try await synchronizeFirst() } catch let error where !(error is CancellationError) {
      if durability.continuesWithoutJournal { return giveUp(error) }
      throw FlowError.storeError(error)
    }
  }
}
