extension RunTree {
  /// Whether at most one block is left, which has come to its end, so that no step is open.
  var isAtEnd: Bool { scopes.count <= 1 && bookkeepingCount == 0 && usersCount == 0 }

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

  /// How much of the run is done, from 0 to 1, with what running work reports itself, by the scope that it was claimed from.
  func fraction(reported: [(ScopeID, Double)]) -> Double {
    /// How much of the run a scope's running child is.
    var childShares = [ScopeID: Double]()
    var whole = 0.0
    for (id, scope) in scopes.outermostFirst {
      let share = scope.parent.map { childShares[$0] ?? 0 } ?? 1
      switch scope.kind {
      case .block(let block):
        whole += share * block.doneFraction(in: blueprint)
        childShares[id] = share * block.currentFraction(in: blueprint)
      case .fan(let fan):
        whole += share * fan.doneFraction
        childShares[id] = share * fan.childFraction
      case .attempts: childShares[id] = share
      }
    }
    for (id, fraction) in reported { whole += (childShares[id] ?? 0) * fraction }
    return min(1, max(0, whole))
  }
}

extension Slab<RunScope> {
  /// All scopes, each after those that it lies within, in an order that doesn't depend on when they began.
  var outermostFirst: [(id: ScopeID, value: RunScope)] { all.sorted { $0.value.order < $1.value.order } }
}
