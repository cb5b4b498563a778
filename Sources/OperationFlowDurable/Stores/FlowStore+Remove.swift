import Foundation
import OperationFlow

extension FlowStore {
  /// Removes a run that has ended, with its journal and the signals that it was sent.
  ///
  /// The identifier is free afterwards: a run that is started under it begins anew.
  ///
  /// - Parameters:
  ///   - id: The identifier of the run.
  ///   - evenIfUnfinished: If true, also removes a run that has not ended, or whose journal can't be read. The effects
  ///     of such a run stay, and aren't undone.
  /// - Throws: `FlowError` with the code `unknownRun` if there is no such run; `unfinishedRun` if the run has not
  ///   ended; `unreadableJournal` if its journal can't be read; `runInUse` if a process has the run open; `storeFailed`
  ///   if it can't be removed.
  public func remove(_ id: String, evenIfUnfinished: Bool = false) async throws {
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    try await FileWork.perform {
      if !evenIfUnfinished, let problem = try obstacle(toRemoving: id) { throw problem }
      if evenIfUnfinished, try !hasJournal(of: id) { throw FlowError.noRun(id) }
      // The store refuses to remove a run that a process has open.
      try removeJournal(of: id)
    }
  }

  /// Removes the runs that ended before a date.
  ///
  /// A run that a process has open at that moment stays. If a run can't be removed, the others are removed all the
  /// same.
  ///
  /// - Parameter date: The date.
  /// - Returns: The identifiers of the removed runs, sorted.
  /// - Throws: `FlowError` with the code `storeFailed` if the runs can't be listed, or if one can't be removed.
  @discardableResult
  public func removeEnded(before date: Date) async throws -> [String] {
    let removed = try await FileWork.perform { try removeRuns(endedBefore: date) { _ in true } }
    if let failure = removed.failure { throw failure }
    return removed.ids
  }

  /// Removes the ended runs that a closure chooses; call it on a thread that may wait for files.
  func removeRuns(endedBefore date: Date, _ isChosen: (FlowStoredRun) -> Bool) throws -> RemovedRuns {
    var removed = RemovedRuns()
    for run in try listRuns() where run.hasEnded && run.ended.map({ $0 < date }) == true && isChosen(run) {
      do {
        try removeJournal(of: run.id)
        removed.ids.append(run.id)
      } catch let error as FlowError where error.code == .runInUse {
        // A process has the run open, to see how it ended.
      } catch {
        removed.failure = removed.failure ?? .storeError(error)
      }
    }
    return removed
  }

  /// Returns the reason why a run can't be removed as one that has ended; `nil` if it can.
  private func obstacle(toRemoving id: String) throws -> FlowError? {
    switch try FlowStoredRun(id, in: self)?.state {
    case .succeeded, .failed, .cancelled: return nil
    case .unfinished, .waiting: return .unfinishedRun(id)
    case .unreadable(let error): return error
    // The journal has no entries.
    case nil: return try hasJournal(of: id) ? nil : .noRun(id)
    }
  }

  /// Returns true if there is a journal, even one that can't be read.
  private func hasJournal(of id: String) throws -> Bool {
    if id.isEmpty { return false }
    do { return try ends(of: id) != nil } catch let error as FlowError where error.code == .unreadableJournal {
      return true
    }
  }
}

/// The runs that were removed from a store, and the first error of one that couldn't be removed.
struct RemovedRuns: Sendable {
  /// The identifiers of the removed runs, sorted.
  var ids: [String] = []
  var failure: FlowError?
}

extension FlowError.Code {
  /// A store has no run with an identifier.
  public static let unknownRun = Self("unknownRun")
  /// A run that was to be removed has not ended.
  public static let unfinishedRun = Self("unfinishedRun")
}

extension FlowError {
  static func noRun(_ id: String) -> FlowError {
    FlowError(.unknownRun, "there is no run \(shown(id)) in this store", remedy: "Check the id and the store.")
  }

  static func unfinishedRun(_ id: String) -> FlowError {
    FlowError(
      .unfinishedRun, "the run \(shown(id)) has not ended",
      remedy:
        "Resume it under the same id until it ends, or remove it with evenIfUnfinished: true, which undoes nothing.")
  }
}
