import Foundation
import OperationFlow
import OperationFlowStorage

/// The entries of a failed run, changed so that another attempt follows the failed one.
///
/// All work that settled before the failure stays, and so does work that was cut off and succeeded all the same. Other
/// work that the failure cut off, and the steps that always run, run again.
struct RetriedRun {
  /// The entries after the first one.
  private(set) var entries: [JournalEntry] = []

  /// Creates the entries from all entries after the first one, without the end.
  ///
  /// - Throws: `FlowError` with the code `notRetryable` if undos have run, or if the failure isn't that of one attempt.
  init(_ all: [JournalEntry], of id: String, _ ending: JournalEnding) throws(FlowError) {
    guard let failure = Self.failure(in: all, ending) else { throw .notRetryable(id, .unknownFailure) }
    if all[failure...].contains(where: \.isOfUndo) { throw .notRetryable(id, .hasUndone) }
    entries = Array(all[..<failure])
    var cutOff: Set<RunWork> = []
    switch all[failure] {
    case .settled(let settlement):
      if case .pulledAll = settlement.result { throw .notRetryable(id, .tooManyItems) }
      repeatAttempt(settlement)
      cutOff = Set(settlement.parts.claimed ?? [])
    case .decided(let decision): cutOff = Set(decision.claimed)
    case .begun, .runs, .ended, .waits, .rests, .begins, .left: break
    }
    // A wait that was cut off has its full time again, unless it has accepted its signal.
    entries.removeAll { entry in
      if case .waits(let wait) = entry {
        wait.message == nil && cutOff.contains(RunWork(.step, of: wait.step))
      } else {
        false
      }
    }
    var ended = Set(entries.lazy.flatMap(\.endedItems))
    for entry in all[failure...].dropFirst() {
      let kept = entry.successes(of: cutOff, delivered: ended)
      ended.formUnion(kept.lazy.flatMap(\.endedItems))
      entries += kept
    }
    // No process ended in the attempts that had begun.
    entries.append(.left)
  }

  /// Returns the index of the entry that decided the run's end; `nil` if there is none.
  private static func failure(in entries: [JournalEntry], _ ending: JournalEnding) -> Int? {
    let deciding = entries.firstIndex { entry in
      switch entry {
      case .settled(let settlement): settlement.parts.claimed != nil
      case .decided: true
      case .begun, .runs, .ended, .waits, .rests, .begins, .left: false
      }
    }
    // A step that always runs may fail after a success. Its entry decides the end, but cuts nothing off.
    return deciding
      ?? entries.lastIndex { entry in
        guard case .settled(let settlement) = entry, case .failed(_, nil) = settlement.result else { return false }
        return settlement.work.step == ending.failure?.step && settlement.work.item == ending.failure?.item
      }
  }

  /// Lets another attempt follow the failed one; any other work simply runs again.
  private mutating func repeatAttempt(_ settlement: JournalSettlement) {
    if settlement.work.isAttempt {
      entries.append(settlement.repeated)
    } else if settlement.work.kind == .recover {
      let attempted = settlement.work.attemptedWork
      let last = entries.lastIndex { entry in
        if case .settled(let settlement) = entry { settlement.work == attempted } else { false }
      }
      guard let last, case .settled(let attempt) = entries[last] else { return }
      // The time of the attempts may have expired after the failure.
      let expired = RunWork(.expire, of: attempted.step ?? 0, item: attempted.item)
      let others = entries[(last + 1)...].filter { entry in
        if case .settled(let settlement) = entry { settlement.work != expired } else { true }
      }
      entries.replaceSubrange(last..., with: [attempt.repeated] + others)
    }
  }

  /// The entries as bytes; only the last one has totals.
  func data(after beginning: JournalBeginning) throws(FlowError) -> [Data] {
    var counter = JournalCounter()
    for entry in entries { try counter.count(entry) }
    let totals = beginning.head.isCounted ? counter.totals : nil
    return entries.dropLast().map(\.data) + entries.suffix(1).map { $0.data(for: nil, totals) }
  }
}

extension JournalSettlement {
  /// The entry of this failure with another attempt after it.
  fileprivate var repeated: JournalEntry {
    guard case .failed(let error, _) = result else { return .settled(self) }
    var settlement = self
    settlement.result = .failed(error, retriedAfter: .zero)
    settlement.parts.claimed = nil
    return .settled(settlement)
  }
}

extension JournalEntry {
  /// True for the beginning and the end of an undo.
  fileprivate var isOfUndo: Bool {
    switch self {
    case .settled(let settlement): settlement.work.kind == .undo
    case .begins(let begin): begin.work.kind == .undo
    case .begun, .runs, .decided, .ended, .waits, .rests, .left: false
    }
  }

  /// The items whose last attempts the entry ends.
  fileprivate var endedItems: [RunWork] {
    switch self {
    case .settled(let settlement):
      let work = settlement.work
      guard work.item != nil, work.kind != .deliver, settlement.result.retryDelay == nil else { return [] }
      return [work.attemptedWork]
    case .runs(let runs):
      return runs.filter { $0.first.item != nil }.flatMap { run in (0..<run.count).map(run.work) }
    case .begun, .decided, .ended, .waits, .rests, .begins, .left: return []
    }
  }

  /// Returns the entries of work that was cut off but succeeded, and of the signals that such steps accepted.
  ///
  /// The delivery of a result stays if the end of its item does.
  fileprivate func successes(of cutOff: Set<RunWork>, delivered ended: Set<RunWork>) -> [JournalEntry] {
    switch self {
    case .settled(var settlement):
      let work = settlement.work
      if work.kind == .deliver {
        guard ended.contains(RunWork(.item, of: work.step ?? 0, item: work.item)) else { return [] }
      } else {
        guard cutOff.contains(work) else { return [] }
      }
      switch settlement.result {
      // A sequence also ends when the task that waits for its next element is cancelled: this isn't its own end.
      case .failed, .cancelled, .pulledAll: return []
      case .succeeded, .skipped, .chosen, .entered, .planned: break
      }
      settlement.parts.claimed = nil
      return [.settled(settlement)]
    case .runs(let runs):
      let kept = runs.flatMap { run in
        (0..<run.count).filter { cutOff.contains(run.work(at: $0)) }.map { place in
          JournalRun(first: run.work(at: place), count: 1, outputs: run.outputs.map { [$0[place]] })
        }
      }
      return kept.isEmpty ? [] : [.runs(kept)]
    case .waits(let wait):
      return wait.message != nil && cutOff.contains(RunWork(.step, of: wait.step)) ? [self] : []
    case .begun, .decided, .ended, .rests, .begins, .left: return []
    }
  }
}

extension FoundJournal {
  /// True if the run has ended, and has failed.
  var hasFailed: Bool { if case .failed? = ending?.way { true } else { false } }

  /// Returns the journal of a failed run as it will be after the retry; ``writeRetried()`` writes it to the store.
  func retried(_ id: String) throws -> FoundJournal {
    guard let beginning, let ending, hasFailed else { throw FlowError.hasNotFailed(id) }
    // Only the flow can complete the shape in such a journal.
    if beginning.version < 4 { throw FlowError.notRetryable(id, .oldFormat) }
    var retried = self
    let run = try RetriedRun(try endedEntries.map { try JournalEntry($0) }, of: id, ending)
    let data = try run.data(after: beginning)
    retried.begin(beginning.retried, data)
    return retried
  }

  /// Replaces the entries of the ended run in the store.
  func writeRetried() async throws {
    guard let beginning else { return }
    do {
      try await journal.replaceEntries(
        first: endedEntries.count + 2, with: [JournalEntry.begun(beginning).data] + entries)
    } catch {
      throw FlowError.storeError(error)
    }
  }
}

extension FlowError.Code {
  /// A failed run can't be retried, for example because undos have run.
  public static let notRetryable = Self("notRetryable")
}

extension FlowError {
  /// The reasons why a failed run can't be retried.
  enum RetryObstacle {
    case hasUndone, tooManyItems, unknownFailure, oldFormat

    fileprivate var text: String {
      switch self {
      case .hasUndone: "what it had done was undone"
      case .tooManyItems: "only the end of a sequence has shown that too many of its items had failed"
      case .unknownFailure: "its journal doesn't have the failure"
      case .oldFormat: "its journal has the format of an earlier version"
      }
    }
  }

  static func notRetryable(_ id: String, _ obstacle: RetryObstacle) -> FlowError {
    FlowError(
      .notRetryable, "the run \(shown(id)) can't be retried: \(obstacle.text)",
      remedy: "Start a new run under another id. This one is left as it was.")
  }

  static func hasNotFailed(_ id: String) -> FlowError {
    FlowError(
      .notRetryable, "the run \(shown(id)) has not failed, so it can't be retried",
      remedy: "Retry a run once it has failed; one that has not ended is resumed under its id.")
  }
}
