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
