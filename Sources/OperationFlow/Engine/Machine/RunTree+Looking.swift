// The tree as it is looked at from outside.
extension RunTree {
  /// Whether at most one block is left, which has come to its end, so that no step is open.
  var isAtEnd: Bool { scopes.count <= 1 && bookkeepingCount == 0 && usersCount == 0 }

  /// The attempts that come after a delay.
  var delayedAttempts: [(work: RunWork, number: Int)] {
    attempts.all.compactMap { $0.value.stage == .delayed ? ($0.value.work, $0.value.number) : nil }
  }

  /// How many items have ended in the fans whose number of items is not known; `nil` if there are none.
  var uncountedItems: Int? {
    scopes.all.reduce(nil) { count, scope in
      guard case .fan(let fan) = scope.value.kind, let ended = fan.uncountedItems else { return count }
      return (count ?? 0) + ended
    }
  }
}

extension Slab<RunScope> {
  /// All scopes, each after those that it lies within, in an order that doesn't depend on when they began.
  var outermostFirst: [(id: ScopeID, value: RunScope)] { all.ordered { $0.value.order < $1.value.order } }
}
