import Foundation
import OperationFlow

/// The state of a run in its journal and its mailbox, for a supervisor that doesn't have the run in memory.
enum FoundRun: Sendable {
  /// The beginning of a run, whose date differs from those of other runs with the same identifier.
  struct Beginning: Sendable {
    let date: Date
    let flowName: String
    /// The index of the run's flow among those of the supervisor; `nil` if the supervisor doesn't have the flow.
    let flow: Int?
  }

  /// There is no journal, or it has no entries.
  case nothing
  case ended(Beginning)
  /// The run can continue; `isInterrupted` is true if it was at work when its process ended.
  case ready(Beginning, isInterrupted: Bool)
  /// The run does nothing but wait, and was sent nothing since it was suspended.
  case rests(Beginning, JournalRest)
  case left(FlowUnfinishedRun)

  /// Reads the state of a run, on a thread that may wait for files.
  init(_ id: String, in store: any FlowStore, _ flows: [String]) {
    do {
      guard let ends = try store.ends(of: id), let first = ends.first else {
        self = .nothing
        return
      }
      guard case .begun(let begun) = try JournalEntry(first) else { throw FlowError.unreadableEntry }
      let beginning = Beginning(
        date: begun.date, flowName: begun.flowName, flow: flows.firstIndex(of: begun.flowName))
      if ends.isEnded {
        self = .ended(beginning)
      } else if beginning.flow == nil {
        self = .left(beginning.left(id, .unknownFlow(begun.flowName, of: id)))
      } else if let last = ends.last, case .rests(let rest)? = try? JournalEntry(last) {
        let count = try Self.messageCount(of: id, in: store)
        // A mailbox that has fewer messages was removed, and created anew.
        self = count == rest.messageCount ? .rests(beginning, rest) : .ready(beginning, isInterrupted: false)
      } else if let last = ends.last, case .left? = try? JournalEntry(last) {
        self = .ready(beginning, isInterrupted: false)
      } else {
        self = .ready(beginning, isInterrupted: true)
      }
    } catch {
      self = .left(FlowUnfinishedRun(unreadable: id, .storeError(error)))
    }
  }

  /// The beginning of the run; `nil` if it isn't known.
  var beginning: Beginning? {
    switch self {
    case .ended(let beginning), .ready(let beginning, _), .rests(let beginning, _): beginning
    case .nothing, .left: nil
    }
  }

  /// Returns the number of times in a row that a process ended in the same work of a run; 0 if that can't be read.
  static func crashCount(of id: String, in store: any FlowStore) -> Int {
    (try? FlowStoredRun(id, in: store))?.crashCount ?? 0
  }

  /// Returns the number of entries in a run's mailbox; throws an error if one of them can't be read.
  static func messageCount(of id: String, in store: any FlowStore) throws -> Int {
    try Mailbox(run: id, store: store).entries()?.entries.count ?? 0
  }
}

extension FoundRun.Beginning {
  /// Returns the run as one that can't continue because of an error.
  func left(_ id: String, _ error: FlowError) -> FlowUnfinishedRun {
    FlowUnfinishedRun(
      id: id, flowName: flowName, since: date, settledStepCount: 0, settledItemCount: 0, error: error)
  }
}
