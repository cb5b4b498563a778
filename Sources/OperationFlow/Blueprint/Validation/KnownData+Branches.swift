extension KnownData {
  /// What is known in a branch, where its condition holds and none of those that are asked before it.
  ///
  /// `nil` where the branch can't be taken. Without a condition it is what is known where no branch fits.
  func taking(_ condition: FlowCase?, after earlier: some Sequence<FlowCase>) -> KnownData? {
    var known = self
    for other in earlier {
      guard let key = other.key else { continue }
      guard let held = known.string(under: key).notBeing(other.value) else { return nil }
      known.hold(held, under: key)
    }
    guard let key = condition?.key, let value = condition?.value else { return known }
    guard mayHold(key), let held = known.string(under: key).being(value) else { return nil }
    known.hold(held, under: key)
    return known
  }

  private func string(under key: String) -> HeldString { held[key] ?? .none(of: []) }
}

extension KnownData {
  /// What is known when all of several branches have run at once: what one of them has changed is changed.
  static func concurrently(_ start: KnownData, _ ends: [KnownData]) -> KnownData {
    var known = start
    for end in ends {
      if end.isBlank {
        known.forgetAll()
        continue
      }
      known.takeChanges(from: start, to: end)
    }
    return known
  }
}
