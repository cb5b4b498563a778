/// The places at which a record has left out events of its steps: items may have begun or ended there.
package struct LeftOutPlaces {
  /// The positions of the first and the last gap in the events of each step.
  private var gaps: [Int: (first: Int, last: Int)] = [:]

  package init(_ events: [FlowEvent]) {
    for (position, event) in events.enumerated() {
      // Items that ended before the run was resumed have no events in this process, so none are missing.
      guard case .leftOut(let count, _) = event.kind, count > 0, let step = event.step else { continue }
      gaps[step] = (gaps[step]?.first ?? position, position)
    }
  }

  /// Returns true if events of a step are missing before a position.
  package func isGap(before position: Int, of step: Int) -> Bool { gaps[step].map { $0.first < position } ?? false }

  /// Returns true if events of a step are missing after a position.
  package func isGap(after position: Int, of step: Int) -> Bool { gaps[step].map { $0.last > position } ?? false }
}
