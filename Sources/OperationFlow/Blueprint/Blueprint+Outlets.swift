// The sequences that groups hand their results to: each belongs to one run.
extension Blueprint {
  private var channels: [(step: StepID, channel: ResultChannel)] {
    guard handsOnResults else { return [] }
    return steps.indices.flatMap { step in channels(of: step).map { (step, $0) } }
  }

  private func channels(of step: StepID) -> [ResultChannel] {
    steps[step].options.special?.results?.outlets.map(\.channel) ?? []
  }

  /// Reserves all of them for one run, or none if one is taken; returns the step of that one.
  func reserveOutlets() -> Step? {
    let all = channels
    for (index, (step, channel)) in all.enumerated() where !channel.reserve() {
      for (_, earlier) in all[..<index] { earlier.giveBack() }
      return steps[step]
    }
    return nil
  }

  /// Undoes the reservations if the run that made them does not begin.
  func giveBackOutlets() {
    for (_, channel) in channels { channel.giveBack() }
  }

  /// No more results come from a run that has ended; one that was refused has reserved nothing.
  func finishOutlets(isReserved: Bool) {
    for (_, channel) in channels { channel.finish(isReserved: isReserved) }
  }

  /// No more results come from a group.
  func finishOutlets(of step: StepID) {
    for channel in channels(of: step) { channel.finish(isReserved: true) }
  }
}
