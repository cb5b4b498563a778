extension ReferenceRun {
  /// Returns the finished fraction of the run, from 0 to 1, if each running attempt reports this fraction of its
  /// work.
  func fraction(reported: Double) -> Double {
    switch ending?.kind {
    case .succeeded: 1
    case .failed, .cancelled: 0
    case nil: fraction(of: paths.flow.steps, reported)
    }
  }

  private func fraction(of steps: [SimulatedFlow.Step], _ reported: Double) -> Double {
    let weight = steps.reduce(0) { $0 + $1.countedWeight }
    let done = steps.reduce(0.0) { $0 + Double($1.countedWeight) * fraction(of: $1, reported) }
    return weight > 0 ? done / Double(weight) : 0
  }

  private func fraction(of step: SimulatedFlow.Step, _ reported: Double) -> Double {
    guard let known = paths[step.number] else { return 0 }
    let strand = strands[known.path]
    if strand.stage == .ended || strand.place >= known.doneAt { return 1 }
    switch step.kind {
    case .work: return reported * Double(runningCount(of: step.number))
    case .group:
      guard let items = strand.items, strand.place == known.doneAt - 1 else { return 0 }
      return items.fraction(reported: reported * Double(runningCount(of: step.number)))
    case .cases(let cases): return cases.taken.map { fraction(of: $0.steps, reported) } ?? 0
    case .flow(let inner): return fraction(of: inner, reported)
    case .parallel(let branches):
      let paths = known.branches ?? []
      let fractions = zip(branches, paths).map { steps, path -> Double in
        switch strands[path].stage {
        case .ended, .cutOff: 1
        case .notBegun: 0
        case .offers, .waits: fraction(of: steps, reported)
        }
      }
      return fractions.reduce(0, +) / Double(max(1, fractions.count))
    }
  }

  private func runningCount(of step: Int) -> Int {
    claims.count { !$0.hasSettled && !$0.isHanding && $0.work.reportsProgress && $0.work.step == step }
  }
}

extension SimulatedFlow.Step {
  /// Cases have no weight of their own.
  fileprivate var countedWeight: Int { if case .cases = kind { 1 } else { weight } }
}
