import OperationFlow

extension PageTimeline {
  /// A step of the critical path, with how long it was at work there.
  struct Share {
    let step: Int
    let duration: Int64
  }

  /// Marks the chain of steps that determined how long the run took.
  ///
  /// Of steps one after the other, all are in it; of parallel branches, the one that ended last; and of a group, the lane
  /// of the item that ended last.
  mutating func markCriticalPath() {
    var waiting = steps.roots
    while let step = waiting.popLast() {
      for index in ownSpans[step] { spans[index].isCritical = true }
      if let lane = lastLane(step) {
        for index in lane { spans[index].isCritical = true }
      }
      guard steps.steps[step].kind == .parallel else {
        waiting += steps.children[step]
        continue
      }
      let ends = steps.children[step].map { branch in ownSpans[branch].map { spans[$0].end }.max() ?? -1 }
      guard let last = ends.max(), last >= 0, let index = ends.firstIndex(of: last) else { continue }
      waiting.append(steps.children[step][index])
    }
    // A step that never began has no span, and so no place in it.
  }

  /// The steps of the critical path that contain no others and do some work, those that took longest first.
  var shares: [Share] {
    criticalSteps.filter { !waits($0.step) }.sorted { ($1.duration, $0.step) < ($0.duration, $1.step) }
  }

  /// How long the run did nothing but wait for a time or a signal.
  var waitedDuration: Int64 { criticalSteps.filter { waits($0.step) }.reduce(0) { $0 &+ $1.duration } }

  private var criticalSteps: [Share] {
    ownSpans.indices.lazy.filter { steps.children[$0].isEmpty }.compactMap { index in
      let critical = ownSpans[index].filter { spans[$0].isCritical }
      guard !critical.isEmpty else { return nil }
      return Share(step: index, duration: critical.reduce(0) { $0 &+ max(spans[$1].end - spans[$1].start, 0) })
    }
  }

  private func waits(_ step: Int) -> Bool { steps.steps[step].options.contains(.wait) }

  /// The lane of a group in which its last item ended.
  private func lastLane(_ step: Int) -> [Int]? {
    lanes[step].max { left, right in end(of: left) < end(of: right) }
  }

  private func end(of lane: [Int]) -> Int64 {
    lane.reduce(-1) { max($0, spans[$1].isUndo ? -1 : spans[$1].end) }
  }
}
