import OperationFlow
import OperationFlowStorage

/// Collects the writes to a run's bucket until an entry of the journal contains them.
final class JournalWrites: WriteKeeper {
  private struct Link: Sendable { weak var journal: RunJournal? }

  private let state: Locked<PendingWrites>
  private let link: Locked<Link>

  /// Creates a collection for a bucket with `names`; asks `journal` to leave its run if a stored value can't be read.
  init(names: Set<String> = [], of journal: RunJournal? = nil) {
    (state, link) = (Locked(PendingWrites(names: names)), Locked(Link(journal: journal)))
  }

  /// Drops the collected writes; `count` is the number of the last write in the journal.
  func begin(after count: Int) { state.withLock { $0.begin(after: count) } }

  /// Records whether an earlier process wrote the value of a name.
  func setRestored(_ name: String, _ isRestored: Bool) { state.withLock { $0.setRestored(name, isRestored) } }

  func holdsRestored(_ name: String) -> Bool { state.withLock { $0.restoredNames.contains(name) } }

  func didMisread(_ misread: Misread, by reader: FlowEvent.Source?) {
    // A value that can't be decoded has made this request itself.
    if misread.value is any UndecodedValue { return }
    guard misread.value is UnavailableValue || holdsRestored(misread.name) else { return }
    let journal = link.withLock { $0.journal }
    journal?.requestLeave(
      .mismatched(
        misread.value, name: misread.name, isSensitive: misread.isSensitive, as: misread.type, isStored: true),
      by: reader)
  }

  /// Removes and returns the names that the bucket had, or that were written since the last call.
  func takeNames() -> Set<String> {
    state.withLock { state in
      defer { state.names = [] }
      return state.names
    }
  }

  /// Records that a step or an item is running.
  func begin(_ writer: PendingWrites.Writer) { state.withLock { $0.begin(writer) } }

  func didWrite(_ value: (any Sendable)?, named name: String, by writer: FlowEvent.Source?) {
    state.withLock { $0.add(value, name, by: writer) }
  }

  func didRefuse(_ error: FlowError, to writer: FlowEvent.Source?) -> Bool {
    state.withLock { $0.refuse(error, by: writer) }
  }

  /// Removes and returns the writes of a step or an item that settles, and those that belong to no running one.
  ///
  /// `refusal` is the reason why the step or the item could not change a value; `nil` if there is none.
  func take(
    of writer: PendingWrites.Writer
  ) -> (own: [PendingWrites.Write], loose: [PendingWrites.Write], refusal: FlowError?) {
    state.withLock { state in
      let (own, loose) = state.take(of: writer)
      return (own, loose, state.takeRefusal(of: writer))
    }
  }

  /// Collects writes again that were removed for a settlement that doesn't count.
  func withdraw(_ writes: [PendingWrites.Write]) {
    if !writes.isEmpty { state.withLock { $0.putBack(writes) } }
  }
}
