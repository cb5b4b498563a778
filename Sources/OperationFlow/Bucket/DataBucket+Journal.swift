// What a durable run notes about writes, and what it restores.
extension DataBucket {
  /// Begins to note what is written, for a journal; `count` is the number of the last write that is in it.
  func noteWrites(after count: Int) {
    state.withLock { state in
      var writes = PendingWrites()
      writes.count = count
      state.writes = writes
    }
  }

  /// Notes that a step or an item is at work.
  func beginWriting(_ writer: PendingWrites.Writer) { state.withLock { $0.writes?.begin(writer) } }

  /// Takes what a step or an item has written, which settles now, and what was written by no one who is at work.
  ///
  /// `refusal` is why it could not change a value, if so.
  func takeWrites(
    of writer: PendingWrites.Writer
  ) -> (own: [PendingWrites.Write], loose: [PendingWrites.Write], refusal: FlowError?) {
    state.withLock { state in
      guard let taken = state.writes?.take(of: writer) else { return ([], [], nil) }
      return (taken.own, taken.loose, state.writes?.takeRefusal(of: writer))
    }
  }

  /// Takes what was written by no one who is at work.
  func takeLooseWrites() -> [PendingWrites.Write] { state.withLock { $0.writes?.takeLoose() ?? [] } }

  /// Puts back what was taken for a settlement that did not count.
  func putBack(_ writes: [PendingWrites.Write]) { state.withLock { $0.writes?.putBack(writes) } }

  /// Whether a journal may have a name's value: not if it is sensitive, or declared as not stored.
  ///
  /// A name that records hide is sensitive for a journal as well.
  func storing(_ name: String) -> (isSensitive: Bool, isStored: Bool) {
    let (isMarked, isStored) = state.withLock { ($0.sensitiveNames.contains(name), !$0.unstoredNames.contains(name)) }
    return (isMarked || redacts(name), isStored)
  }

  private func redacts(_ name: String) -> Bool { recorder?.redaction.redacts(name) ?? false }

  /// The values that records hide because of their names.
  var hiddenValues: [any Sendable] {
    let (entries, names) = state.withLock { ($0.entries, $0.sensitiveNames) }
    return entries.compactMap { names.contains($0) || redacts($0) ? $1.value : nil }
  }

  /// Whether there is a value of an earlier process that isn't known any more.
  func isWithheld(_ name: String) -> Bool { value(named: name) is WithheldValue }

  /// Throws if a name had a value before the run was resumed that isn't known any more: nothing can be decided by it.
  func refuseWithheld(_ name: String) throws(FlowError) {
    if let withheld = value(named: name) as? WithheldValue { throw .withheld(name, withheld.reason) }
  }
}
