import Foundation
import OperationFlow

extension FlowStore {
  /// Lets a run that has failed be resumed where it failed, once the cause of the failure is mended.
  ///
  /// What had settled stays so: steps, items, branches. The step or item whose failure ended the run begins again, as a further
  /// attempt with the same idempotency key, even if it had no attempts left; so does what the failure cut off, and the steps
  /// that always run. Failures that a group has tolerated stay. Whoever resumes the run next does all of that: a
  /// ``FlowSupervisor``, which is notified within a second, or `run(id:in:)`. Signals that the run had not taken are gone.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `notRetryable` if the run has not failed, if undos have run, or if only the end of a
  ///   sequence has shown that too many of its items had failed; `unknownRun` if there is no such run; `runInUse` if a process
  ///   has it; `storeFailed` or `unreadableJournal` if the store can't change it. The run is left as it was then.
  public func retry(_ id: String) async throws {
    if Mailbox.isReserved(id) { throw FlowError.reservedIdentifier(id) }
    guard !id.isEmpty, try await FileWork.perform({ try self.ends(of: id)?.first }) != nil else {
      throw FlowError.noRun(id)
    }
    let found = try await FoundJournal.open(id, self)
    defer { found.journal.close() }
    let retried = try found.retried(id)
    let bell = MailboxBell(store: self)
    // Before there is anything to hear: an error has to mean that nothing has changed.
    try await bell.ring(for: id)
    try await FileWork.perform { [mailbox = Mailbox(run: id, store: self)] in mailbox.removeIfThere() }
    try await retried.writeRetried()
    found.journal.close()
    try await bell.ring(for: id)
  }
}
