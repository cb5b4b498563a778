/// Scopes that have work to offer, the longest waiting first; usually there is one.
struct ReadyQueue: Sendable {
  private var first: ScopeID?
  private var others = Fifo<ScopeID>()

  mutating func append(_ id: ScopeID) {
    if first == nil { first = id } else { others.append(id) }
  }

  /// The scope that has waited longest; those that no longer offer anything are dropped.
  mutating func firstReady(in scopes: inout Slab<RunScope>) -> ScopeID? {
    while let id = first {
      if scopes.update(id, { $0.staysQueued() }) == true { return id }
      removeFirst()
    }
    return nil
  }

  mutating func popFirst() -> ScopeID? {
    defer { removeFirst() }
    return first
  }

  mutating func removeFirst() { first = others.count > 0 ? others.popFirst() : nil }

  mutating func rotate() {
    guard others.count > 0, let id = first else { return }
    removeFirst()
    append(id)
  }
}

/// Scopes that have work to offer, by the precedence of that, which stays the same for as long as they are queued.
struct RankedQueue: Sendable {
  /// Those of each precedence, the highest first.
  private var ranks: [(precedence: Int, scopes: ReadyQueue)] = []

  mutating func append(_ id: ScopeID, precedence: Int) {
    let rank = ranks.firstIndex { $0.precedence <= precedence } ?? ranks.count
    if rank == ranks.count || ranks[rank].precedence < precedence {
      ranks.insert((precedence, ReadyQueue()), at: rank)
    }
    ranks[rank].scopes.append(id)
  }

  /// Removes the scope with the highest precedence; of several, the one that has waited longest.
  ///
  /// Those before it that no longer offer anything are dropped.
  mutating func popFirstReady(in scopes: inout Slab<RunScope>) -> ScopeID? {
    for rank in ranks.indices {
      if let id = ranks[rank].scopes.firstReady(in: &scopes) {
        ranks[rank].scopes.removeFirst()
        return id
      }
    }
    return nil
  }
}
