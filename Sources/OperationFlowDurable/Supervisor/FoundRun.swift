import Foundation
import OperationFlow

/// The state of a run as its journal and its mailbox have it, for a supervisor that doesn't have the run in memory.
enum FoundRun: Sendable {
  /// A run that has begun, with what tells it from others that have had its identifier.
  struct Beginning: Sendable {
    let date: Date
    let flowName: String
    /// The place of its flow among those of the supervisor; `nil` if the supervisor doesn't have that.
    let flow: Int?
  }

  /// There is no journal, or it has no entries.
  case nothing
  case ended(Beginning)
  /// It can go on; `isInterrupted` if it was at work when its process left it.
  case ready(Beginning, isInterrupted: Bool)
  /// It does nothing but wait, and was sent nothing since.
  case rests(Beginning, JournalRest)
  case left(FlowUnfinishedRun)

  /// Looks at a run, on a thread that may wait for files.
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
        // A mailbox that has fewer was removed, and begun anew.
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

  /// How the run began, if that is known.
  var beginning: Beginning? {
    switch self {
    case .ended(let beginning), .ready(let beginning, _), .rests(let beginning, _): beginning
    case .nothing, .left: nil
    }
  }

  /// How often a process has ended in the same work of a run, without anything else settled; 0 if that can't be read.
  static func crashCount(of id: String, in store: any FlowStore) -> Int {
    (try? FlowStoredRun(id, in: store))?.crashCount ?? 0
  }

  /// The number of entries in a run's mailbox, all of which can be read.
  static func messageCount(of id: String, in store: any FlowStore) throws -> Int {
    try Mailbox(run: id, store: store).entries()?.entries.count ?? 0
  }
}

extension FoundRun.Beginning {
  /// The run as one that is left alone because of an error.
  func left(_ id: String, _ error: FlowError) -> FlowUnfinishedRun {
    FlowUnfinishedRun(
      id: id, flowName: flowName, since: date, settledStepCount: 0, settledItemCount: 0, error: error)
  }
}
