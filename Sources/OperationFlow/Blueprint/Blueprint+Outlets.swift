// The sequences that groups hand their results to: each belongs to one run.
extension Blueprint {
  private var outlets: [(step: StepID, outlet: ResultOutlet)] {
    guard handsOnResults else { return [] }
    return steps.indices.flatMap { step in outlets(of: step).map { (step, $0) } }
  }

  private func outlets(of step: StepID) -> [ResultOutlet] { steps[step].options.special?.results?.outlets ?? [] }

  /// Reserves all of them for one run, or none if one is taken; returns the step of that one.
  func reserveOutlets() -> Step? {
    let all = outlets
    for (index, (step, outlet)) in all.enumerated() where !outlet.reserve() {
      for (_, earlier) in all[..<index] { earlier.giveBack() }
      return steps[step]
    }
    return nil
  }

  /// Undoes the reservations if the run that made them does not begin.
  func giveBackOutlets() {
    for (_, outlet) in outlets { outlet.giveBack() }
  }

  /// No more results come from a run that has ended; one that was refused has reserved nothing.
  func finishOutlets(isReserved: Bool) {
    for (_, outlet) in outlets { outlet.finish(isReserved: isReserved) }
  }

  /// No more results come from a group.
  func finishOutlets(of step: StepID) {
    for outlet in outlets(of: step) { outlet.finish(isReserved: true) }
  }
}
