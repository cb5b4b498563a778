extension SimulatedFlow {
  /// The flows that are like this one with a step less, an item less, or a plan less.
  var smaller: [SimulatedFlow] { Self.smaller(steps).map(SimulatedFlow.init) }

  private static func smaller(_ steps: [Step]) -> [[Step]] {
    steps.indices.flatMap { index -> [[Step]] in
      var without = steps
      without.remove(at: index)
      var unplanned = steps
      unplanned[index].plan = nil
      return [without] + (steps[index].plan == nil ? [] : [unplanned])
        + smaller(steps[index]).map { kind in
          var changed = steps
          changed[index].kind = kind
          return changed
        }
    }
  }

  private static func smaller(_ step: Step) -> [Kind] {
    switch step.kind {
    case .work: []
    case .flow(let inner): smaller(inner).map(Kind.flow)
    case .group(let group):
      group.items.indices.map { index in
        var fewer = group
        fewer.items.remove(at: index)
        return .group(fewer)
      }
    case .cases(let cases):
      cases.branches.indices.flatMap { index -> [Kind] in
        smaller(cases.branches[index].steps).filter { !$0.isEmpty }.map { steps in
          var changed = cases
          changed.branches[index].steps = steps
          return .cases(changed)
        }
      }
    case .parallel(let branches):
      branches.indices.flatMap { index -> [Kind] in
        var without = branches
        without.remove(at: index)
        return [.parallel(without)]
          + smaller(branches[index]).map { steps in
            var changed = branches
            changed[index] = steps
            return .parallel(changed)
          }
      }
    }
  }
}
