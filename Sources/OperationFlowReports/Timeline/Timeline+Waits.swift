import OperationFlow

extension Timeline {
  /// Returns how long each step waited before it began, by the step's number.
  ///
  /// A step waits for a thread, a permit or dependencies, or because the run is paused. It could have begun at the end of
  /// the step before it in its block, or else at the beginning of the step around it.
  ///
  /// - Parameter record: The record of the timeline.
  /// - Returns: The times of the steps that have begun.
  func waits(in record: FlowRecord) -> [Int: Duration] {
    var placed: [Int: Span] = [:]
    for span in spans { if case .step(let place) = span.subject { placed[place] = span } }
    // A skipped step has no span.
    var skipped: [Int: Int64] = [:]
    for event in record.events {
      if case .skipped = event.kind, let step = event.step { skipped[step] = event.time.microseconds }
    }
    // The time at which the next step of each block could begin; `nil` is the outermost block.
    var ready: [Int?: Int64] = [nil: spans[0].begin]
    var waits: [Int: Duration] = [:]
    for (place, step) in record.steps.enumerated() {
      guard let earliest = ready[step.parent] else { continue }
      let span = placed[place]
      // The span of a step without events of its own begins with the steps within it.
      let begin = span.flatMap { record.events.indices.contains($0.events.lowerBound) ? $0.begin : nil }
      ready[step.id] = begin ?? earliest
      // Branches begin together, and have no times of their own.
      if step.kind == .branch { continue }
      if let span { waits[step.id] = .microseconds(max(0, span.begin - earliest)) }
      if let end = span?.end ?? skipped[step.id] { ready[step.parent] = end }
    }
    return waits
  }
}
