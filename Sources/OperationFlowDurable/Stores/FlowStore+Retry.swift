import Foundation
import OperationFlow

extension FlowStore {
  /// Lets a failed run be resumed at the point where it failed, once you have fixed the cause of the failure.
  ///
  /// Steps, items and branches that had settled stay so. The step or item whose failure ended the run begins again, as
  /// a further attempt with the same idempotency key, even if it had no attempts left. So do the work that the failure
  /// cut off, and the steps that always run. Failures that a group has tolerated stay. All of that happens when the run
  /// is resumed next: by a ``FlowSupervisor``, which is notified within a second, or by `run(id:in:)`. Signals that the
  /// run had not accepted are removed.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `notRetryable` if the run has not failed, if undos have run, or if only the
  ///   end of a sequence has shown that too many of its items had failed; `unknownRun` if there is no such run;
  ///   `runInUse` if a process has the run open; `storeFailed` or `unreadableJournal` if the store can't change it. In
  ///   that case the run stays as it was, unless the error reports that the run was retried and no supervisor can be
  ///   notified.
  public func retry(_ id: String) async throws {
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    guard !id.isEmpty, try await FileWork.perform({ try self.ends(of: id)?.first }) != nil else {
      throw FlowError.noRun(id)
    }
    let found = try await FoundJournal.open(id, self)
    // A supervisor that is notified opens the journal.
    defer { found.journal.close() }
    let retried = try found.retried(id)
    // Ring also before the change: if that fails, nothing may have changed.
    try await MailboxBell(store: self).ring(for: id)
    try await write(retried, of: id)
  }

  /// Writes the entries with which a failed run can be resumed, and notifies a supervisor.
  func write(_ retried: FoundJournal, of id: String) async throws {
    try await FileWork.perform { [mailbox = Mailbox(run: id, store: self)] in mailbox.removeIfThere() }
    try await retried.writeRetried()
    do { try await MailboxBell(store: self).ring(for: id) } catch { throw FlowError.unnoticedRetry(id, error) }
  }
}

extension FlowError {
  fileprivate static func unnoticedRetry(_ id: String, _ error: any Error) -> FlowError {
    FlowError(
      .storeFailed,
      "the run \(shown(id)) was retried, but no supervisor can be notified: \(storeError(error).problem)",
      remedy: "Resume it with run(id:in:), or start its supervisor again; it isn't retried a second time.")
  }
}
