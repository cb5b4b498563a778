extension RunTree {
  /// How much of the run is done, from 0 to 1, with what running work reports itself, by the scope that it was claimed from.
  func fraction(reported: [(ScopeID, Double)]) -> Double {
    /// How much of the run a scope's running child is.
    var childShares: [ScopeID: Double] = [:]
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
