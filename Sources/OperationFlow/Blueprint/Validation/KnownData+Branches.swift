extension KnownData {
  /// What is known in a branch, in which its condition is true; `nil` if it can't be.
  func taking(_ condition: FlowCase) -> KnownData? {
    guard let key = condition.key else { return self }
    guard mayHold(key), let held = (held[key] ?? .none(of: [])).being(condition.value) else { return nil }
    var known = self
    known.hold(held, under: key)
    return known
  }
}

extension KnownData {
  /// What is known when several branches have run at the same time: everything that one of them changed is changed.
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
