/// How often something has followed the failures of a step or its items, whatever the record keeps.
package struct FollowUps: Sendable, Hashable {
  package var undone: Int
  package var notUndone: Int
  package var recovered: Int
  /// The number of items that were tried again.
  package var retriedItems: Int
  /// The number of attempts that all items have had.
  package var itemAttempts: Int

  package init(undone: Int = 0, notUndone: Int = 0, recovered: Int = 0, retriedItems: Int = 0, itemAttempts: Int = 0) {
    self.undone = undone
    self.notUndone = notUndone
    self.recovered = recovered
    self.retriedItems = retriedItems
    self.itemAttempts = itemAttempts
  }
}

extension RunFacts {
  /// Those of each step, by its number; missing are those of which there is nothing.
  var followUps: [Int: FollowUps] {
    var found = [Int: FollowUps]()
    for note in notes {
      guard let step = note.path?.node else { continue }
      switch note.kind {
      case .undo where note.error == nil: found[step, default: FollowUps()].undone += 1
      case .undo: found[step, default: FollowUps()].notUndone += 1
      case .recovery: found[step, default: FollowUps()].recovered += 1
      case .failure, .alwaysFailure: break
      }
    }
    for (step, items) in items {
      let counts = items.counts
      found[step, default: FollowUps()].retriedItems = items.retries.items
      let ended = counts.succeeded + counts.failed + counts.cancelled
      found[step, default: FollowUps()].itemAttempts = ended + items.retries.attempts
    }
    return found
  }
}
