extension SimulatedFlow {
  /// The flows that lack one part of this flow, such as a step, an item, or a plan.
  var smaller: [SimulatedFlow] {
    var unlimited: [SimulatedFlow] = []
    if budget != nil { unlimited.append(changed { $0.budget = nil }) }
    if budgetEighths > 0 { unlimited.append(changed { $0.budgetEighths = 0 }) }
    if deadline != nil { unlimited.append(changed { $0.deadline = nil }) }
    // A flow that runs at the end becomes the last of the other steps.
    for (index, step) in always.enumerated() {
      unlimited.append(
        changed { flow in
          flow.always.remove(at: index)
          flow.steps.append(step)
        })
    }
    return unlimited + Self.smallerAlways(always).map { always in changed { $0.always = always } }
      + Self.smaller(steps).map { steps in changed { $0.steps = steps } }
  }

  private func changed(_ change: (inout SimulatedFlow) -> Void) -> SimulatedFlow {
    var flow = self
    change(&flow)
    return flow
  }

  /// Returns smaller lists of the flows that run at the end, which contain only flows.
  private static func smallerAlways(_ always: [Step]) -> [[Step]] {
    always.indices.flatMap { index -> [[Step]] in
      var without = always
      without.remove(at: index)
      return [without]
        + smaller(always[index]).map { kind in
          var changed = always
          changed[index].kind = kind
          return changed
        }
    }
  }

  private static func smaller(_ steps: [Step]) -> [[Step]] {
    steps.indices.flatMap { index -> [[Step]] in
      var without = steps
      without.remove(at: index)
      var unplanned = steps
      unplanned[index].plan = nil
      var unconditional = steps
      unconditional[index].condition = nil
      var unchangeable = steps
      unchangeable[index].undo = nil
      var unlimited = steps
      unlimited[index].isLimited = false
      let unwrapped = inner(steps[index]).map { inner in
        var flat = steps
        flat.replaceSubrange(index...index, with: inner)
        return flat
      }
      return [without] + unwrapped + (steps[index].plan == nil ? [] : [unplanned])
        + (steps[index].condition == nil ? [] : [unconditional])
        + (steps[index].undo == nil ? [] : [unchangeable])
        + (steps[index].isLimited ? [unlimited] : [])
        + smallerAlways(steps[index].always).map { always in
          var changed = steps
          changed[index].always = always
          return changed
        }
        + smaller(steps[index]).map { kind in
          var changed = steps
          changed[index].kind = kind
          return changed
        }
    }
  }

  /// Returns the steps within a step, with a list for each of its branches.
  private static func inner(_ step: Step) -> [[Step]] {
    switch step.kind {
    case .work, .group: []
    case .flow(let inner): [inner]
    case .cases(let cases): cases.branches.map(\.steps)
    case .parallel(let branches): branches
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
      } + (group.handings.isEmpty ? [] : [.group(group.handingNothingOn)])
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

extension SimulatedFlow.Group {
  fileprivate var handingNothingOn: Self {
    var group = self
    group.handings = []
    return group
  }
}
