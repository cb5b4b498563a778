import OperationFlow
import OperationFlowStorage

/// Collects what is written to a run's bucket until an entry of the journal has it.
final class JournalWrites: WriteKeeper {
  private struct Link: Sendable { weak var journal: RunJournal? }

  private let state: Locked<PendingWrites>
  private let link: Locked<Link>

  /// `names` are those that the bucket has; the journal is asked to leave its run if a value of its own can't be read.
  init(names: Set<String> = [], of journal: RunJournal? = nil) {
    (state, link) = (Locked(PendingWrites(names: names)), Locked(Link(journal: journal)))
  }

  /// Forgets what was written; `count` is the number of the last write that the journal has.
  func begin(after count: Int) { state.withLock { $0.begin(after: count) } }

  /// Notes that the value of a name is one that an earlier process has written, or that it is no longer.
  func noteRestored(_ name: String, _ isRestored: Bool) { state.withLock { $0.noteRestored(name, isRestored) } }

  func holdsRestored(_ name: String) -> Bool { state.withLock { $0.restoredNames.contains(name) } }

  func didMisread(_ misread: Misread, by reader: FlowEvent.Source?) {
    // What can't be decoded has asked for that itself.
    if misread.value is any UndecodedValue { return }
    guard misread.value is UnavailableValue || holdsRestored(misread.name) else { return }
    let journal = link.withLock { $0.journal }
    journal?.requestLeave(
      .mismatched(
        misread.value, name: misread.name, isSensitive: misread.isSensitive, as: misread.type, isStored: true),
      by: reader)
  }

  /// The names that the bucket had, or that were written, since this was called last.
  func takeNames() -> Set<String> {
    state.withLock { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// Notes that a step or an item is at work.
  func begin(_ writer: PendingWrites.Writer) { state.withLock { $0.begin(writer) } }

  func didWrite(_ value: (any Sendable)?, named name: String, by writer: FlowEvent.Source?) {
    state.withLock { $0.note(value, name, by: writer) }
  }

  func didRefuse(_ error: FlowError, to writer: FlowEvent.Source?) -> Bool {
    state.withLock { $0.refuse(error, by: writer) }
  }

  /// Takes what a step or an item has written, which settles now, and what was written by no one who is at work.
  ///
  /// `refusal` is why it could not change a value, if so.
  func take(
    of writer: PendingWrites.Writer
  ) -> (own: [PendingWrites.Write], loose: [PendingWrites.Write], refusal: FlowError?) {
    state.withLock { state in
      let (own, loose) = state.take(of: writer)
      return (own, loose, state.takeRefusal(of: writer))
    }
  }

  /// Takes back what was taken for a settlement that did not count.
  func withdraw(_ writes: [PendingWrites.Write]) {
    if !writes.isEmpty { state.withLock { $0.putBack(writes) } }
  }
}
