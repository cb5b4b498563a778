extension KnownData {
  /// What is known in a branch, in which its condition is true, for each value that makes it so; empty if it can't be.
  func taking(_ condition: FlowCase) -> [KnownData] {
    guard let key = condition.key else { return [self] }
    guard mayHold(key) else { return [] }
    return condition.values.compactMap { value in
      guard let held = (held[key] ?? .none(of: [])).being(value) else { return nil }
      var known = self
      known.hold(held, under: key)
      return known
    }
  }

  /// Records that a branch was not taken; false if that is impossible, so the path ends here.
  @inline(never)
  mutating func exclude(_ condition: FlowCase) -> Bool {
    guard let key = condition.key else { return true }
    for value in condition.values where !exclude(value, under: key) { return false }
    return true
  }
}

// MARK: Conditions of steps

extension KnownPaths {
  /// Continues on the paths on which a step's conditions are met.
  ///
  /// A condition that compares a key with a value is as good as a branch's. Any other may check whatever the step needs,
  /// or the same as the condition of an earlier step, so nothing is known to be missing.
  mutating func take(_ conditions: [StepCondition]) {
    if conditions.contains(where: { $0.flowCase == nil }) { update { $0.doubtAll() } }
    for condition in conditions {
      if let flowCase = condition.flowCase {
        self = taking(flowCase)
      } else if let input = condition.input {
        update { $0.assume(input) }
      }
    }
  }

  /// Continues on the paths on which a step's conditions aren't met.
  mutating func skip(_ conditions: [StepCondition], keeping keys: Set<String>) {
    guard conditions.count == 1, let flowCase = conditions[0].flowCase, let key = flowCase.key, keys.contains(key)
    else { return }
    exclude(flowCase)
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
