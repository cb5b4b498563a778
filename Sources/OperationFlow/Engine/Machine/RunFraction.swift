/// How far a run has come, as a fold over its scopes: it costs nothing until it is asked for.
struct RunFraction {
  private let scopes: Slab<RunScope>
  private let blueprint: Blueprint

  init(_ scopes: Slab<RunScope>, _ blueprint: Blueprint) {
    self.scopes = scopes
    self.blueprint = blueprint
  }

  /// What is done, from 0 to 1, with what running work reports itself, by the scope that it was claimed from.
  func whole(reported: [(ScopeID, Double)]) -> Double {
    var shares: [ScopeID: Double] = [:]
    var whole = 0.0
    for (id, scope) in scopes.all {
      let share = share(of: id, &shares)
      switch scope.kind {
      case .block(let block): whole += share * block.doneFraction(in: blueprint)
      case .fan(let fan): whole += share * fan.doneFraction
      // A cancelled branch counts as ended immediately, so that the run's progress does not go back.
      case .draining: whole += share
      case .attempts: break
      }
    }
    for (id, fraction) in reported {
      guard let scope = scopes[id] else { continue }
      whole += share(of: id, &shares) * childFraction(of: scope) * fraction
    }
    return min(1, max(0, whole))
  }

  /// How much of the run a scope is; found from the outermost in, without recursion.
  private func share(of id: ScopeID, _ shares: inout [ScopeID: Double]) -> Double {
    var path = [id]
    while let last = path.last, shares[last] == nil, let parent = scopes[last]?.parent { path.append(parent) }
    var share = path.last.flatMap { shares[$0] } ?? 1
    for (parent, child) in zip(path.reversed(), path.reversed().dropFirst()) {
      shares[parent] = share
      share *= scopes[parent].map(childFraction) ?? 0
      shares[child] = share
    }
    return share
  }

  /// How much of a scope its running child is.
  private func childFraction(of scope: RunScope) -> Double {
    switch scope.kind {
    case .block(let block): block.currentFraction(in: blueprint)
    case .fan(let fan): fan.childFraction
    case .attempts: 1
    case .draining: 0
    }
  }
}
