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

  /// The scope with the highest precedence; of several, the one that has waited longest.
  ///
  /// It becomes the first one. Those that no longer offer anything are dropped.
  mutating func firstReady(in scopes: inout Slab<RunScope>, by precedence: (RunScope) -> Int) -> ScopeID? {
    var ready: [(id: ScopeID, precedence: Int)] = []
    while let id = firstReady(in: &scopes) {
      if let scope = scopes[id] { ready.append((id, precedence(scope))) }
      removeFirst()
    }
    guard let place = ready.indices.max(by: { ready[$0].precedence < ready[$1].precedence }) else { return nil }
    append(ready.remove(at: place).id)
    for other in ready { append(other.id) }
    return first
  }

  mutating func removeFirst() { first = others.count > 0 ? others.popFirst() : nil }

  mutating func rotate() {
    guard others.count > 0, let id = first else { return }
    removeFirst()
    append(id)
  }
}
