import Foundation
import OperationFlow
import OperationFlowStorage

/// A run as the journal in its store shows it, without the code of its flow.
public struct FlowStoredRun: Sendable {
  /// The progress of a run, or the way in which it ended.
  public enum State: Sendable {
    /// The run has begun and not ended. A process may be running it.
    case unfinished
    /// The run has begun and not ended, and at least one of its steps waits.
    case waiting([Wait])
    /// The run has succeeded.
    case succeeded
    /// The run has failed, with the text of its error, in which sensitive values are hidden.
    case failed(String)
    /// The run was cancelled.
    case cancelled
    /// The journal can't be read, or only in part.
    case unreadable(FlowError)
  }

  /// A step of a run that waits for a time, a date or a signal.
  public struct Wait: Sendable, Hashable {
    /// The path of the step; empty if it isn't at the beginning of the journal.
    public let step: String
    /// The name of the signal; `nil` if the step waits for a time or a date, or if its step isn't known.
    public let signal: String?
    /// The time when the wait is over; `nil` if it lasts until the signal is sent.
    public let until: Date?
  }

  /// The identifier of the run in its store; the name of its file if its identifier can't be read.
  public let id: String
  /// The name of the flow that began the run; empty if the journal doesn't have it.
  public let flowName: String
  /// The time when the run began; `nil` if the journal doesn't have it.
  public let began: Date?
  /// The time when the run ended; `nil` if the run hasn't ended.
  public let ended: Date?
  /// The progress of the run, or the way in which it ended.
  public let state: State
  /// The number of steps that have settled, those within others included.
  public let settledStepCount: Int
  /// The number of items of groups that have settled; `nil` if the run has ended, because its last entry doesn't have
  /// it.
  public let settledItemCount: Int?
  /// The number of times in a row that the process ended in the same step, item or undo, with nothing settled in
  /// between.
  ///
  /// An attempt that a process is running now counts as one.
  public let crashCount: Int
  /// The size of the journal in bytes.
  public let byteCount: Int

  /// True if the run has ended.
  public var hasEnded: Bool {
    switch state {
    case .succeeded, .failed, .cancelled: true
    case .unfinished, .waiting, .unreadable: false
    }
  }

  /// True if the run is known to have begun and not ended.
  public var isUnfinished: Bool {
    switch state {
    case .unfinished, .waiting: true
    case .succeeded, .failed, .cancelled, .unreadable: false
    }
  }
}

extension FlowStoredRun {
  /// Reads a run from its journal; `nil` if the run has not begun.
  init?(_ id: String, in store: some FlowStore) throws {
    // All entries are read only if the journal is old, if a crash has cut it, or if the store can't read its ends
    // alone.
    var byteCount: Int?
    if let store = store as? any PartlyReadStore {
      guard let ends = try store.readEnds(of: id, .withHead), ends.first != nil else { return nil }
      if let run = FlowStoredRun(id, ends) {
        self = run
        return
      }
      byteCount = ends.byteCount
    }
    guard let entries = try store.readJournal(of: id) else { return nil }
    self.init(id, entries, byteCount: byteCount ?? entries.reduce(0) { $0 + $1.count })
  }

  /// Reads a run from the ends of its journal; `nil` if all of the journal must be read.
  private init?(_ id: String, _ ends: JournalEnds) {
    guard let first = ends.first, let beginning = JournalBeginning.Head(first) else { return nil }
    if ends.isEnded {
      guard let last = ends.last, let ending = JournalEnding.Head(last) else { return nil }
      self.init(id, beginning, ending, byteCount: ends.byteCount)
      return
    }
    guard let glance = RunGlance(ends) else { return nil }
    self.init(
      id, beginning, glance.totals, state: State(latest: ends.latest, first: first), byteCount: ends.byteCount)
  }

  /// Reads a run from all entries of its journal; `nil` if there are none.
  private init?(_ id: String, _ entries: [Data], byteCount: Int) {
    guard let first = entries.first else { return nil }
    var beginning = JournalBeginning.Head?.none
    var (problem, counter) = (FlowError?.none, JournalCounter())
    do throws(FlowError) {
      guard case .begun(let begun) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
      beginning = begun.head
      if entries.count > 1, let last = entries.last, JournalEntry.isEnding(last) {
        guard let ending = JournalEnding.Head(last) else { throw FlowError.unreadableEntry }
        self.init(id, begun.head, ending, byteCount: byteCount)
        return
      }
      for data in entries.dropFirst() { try counter.count(try JournalEntry(data)) }
    } catch {
      problem = beginning.map { error.located(flow: $0.flowName, step: nil) } ?? error
    }
    self.init(
      id, beginning, counter.totals,
      state: problem.map(State.unreadable) ?? State(latest: entries.dropFirst(), first: first), byteCount: byteCount)
  }

  /// Creates a run that has ended.
  private init(_ id: String, _ beginning: JournalBeginning.Head, _ ending: JournalEnding.Head, byteCount: Int) {
    self.init(
      id: id, flowName: beginning.flowName, began: beginning.date, ended: ending.date, state: ending.state,
      settledStepCount: ending.stepCount, settledItemCount: nil, crashCount: 0, byteCount: byteCount)
  }

  private init(
    _ id: String, _ beginning: JournalBeginning.Head?, _ totals: JournalTotals, state: State, byteCount: Int
  ) {
    self.init(
      id: id, flowName: beginning?.flowName ?? "", began: beginning?.date, ended: nil, state: state,
      settledStepCount: totals.stepCount, settledItemCount: totals.itemCount, crashCount: totals.crashCount,
      byteCount: byteCount)
  }

  /// Creates a run whose journal can't be read.
  init(unreadable id: String, _ error: FlowError) {
    self.init(id, nil, JournalTotals(), state: .unreadable(error), byteCount: 0)
  }
}

extension FlowStoredRun.State {
  /// Creates the state of a run that has not ended, from the first entry of its journal and the latest ones.
  fileprivate init(latest entries: some BidirectionalCollection<Data>, first: Data) {
    var waits = LatestWaits(entries)
    // The waits of a suspended run may be older than the latest entries. Its last entry has the time when it is due.
    if waits.open.isEmpty, let rest = waits.rest {
      waits.open = [JournalWait(step: -1, attempt: 0, due: rest.due, message: nil)]
    }
    if waits.open.isEmpty {
      self = .unfinished
      return
    }
    let steps = JournalBeginning.steps(in: first)
    self = .waiting(
      waits.open.map { wait in
        let step = steps.indices.contains(wait.step) ? steps[wait.step] : nil
        return FlowStoredRun.Wait(step: step?.path ?? "", signal: step?.awaitedSignal, until: wait.due)
      })
  }
}

/// The waits that the latest entries of a journal leave open.
private struct LatestWaits {
  /// The last entry about each step that waits, in the order in which the entries were written.
  var open: [JournalWait] = []
  /// The last entry, if it suspends the run because all of it waits.
  private(set) var rest: JournalRest?

  init(_ entries: some BidirectionalCollection<Data>) {
    var over: Set<Int> = []
    for (place, data) in entries.reversed().enumerated() {
      switch data.first.flatMap(JournalEntry.Kind.init) {
      case .waits, .settled, .rests, .decided: break
      case .begun, .runs, .ended, .begins, .left, nil: continue
      }
      switch try? JournalEntry(data) {
      case .waits(let wait):
        if over.insert(wait.step).inserted, wait.message == nil { open.insert(wait, at: 0) }
      case .settled(let settlement):
        if settlement.work.kind == .step, let step = settlement.work.step { over.insert(step) }
      case .rests(let rest): if place == 0 { self.rest = rest }
      // Nothing waits in a run whose end is decided.
      case .decided: return
      case .begun, .runs, .ended, .begins, .left, nil: break
      }
    }
  }
}
