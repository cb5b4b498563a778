import OperationFlow

extension PageTimeline {
  /// A step of the critical path, and its time of work there.
  struct Share {
    let step: Int
    let duration: Int64
  }

  /// The parts of the run's time, which add up to its duration.
  struct Parts {
    /// The steps of the critical path that contain no others and do some work, the longest first.
    var steps: [Share] = []
    /// The time of steps that only wait, for a time or a signal.
    var waits: Int64 = 0
    /// The time between the attempts of a step.
    var delays: Int64 = 0
    /// The time in which steps and items were undone.
    var undos: Int64 = 0
    /// The rest: the time between the steps, and the time that isn't in the record.
    var rest: Int64 = 0
  }

  /// Marks the critical path: the steps that determined the duration of the run.
  ///
  /// It includes all steps of a serial block, the parallel branch that ended last, and the lane of a group's item that
  /// ended last.
  mutating func markCriticalPath() {
    var waiting = tree.roots
    while let step = waiting.popLast() {
      for index in ownSpans[step] { spans[index].isCritical = true }
      if let lane = lastLane(step) {
        for index in lane { spans[index].isCritical = true }
      }
      guard tree.steps[step].kind == .parallel else {
        waiting += tree.children[step]
        continue
      }
      let ends = tree.children[step].map { branch in ownSpans[branch].map { spans[$0].end }.max() ?? -1 }
      guard let last = ends.max(), last >= 0, let index = ends.firstIndex(of: last) else { continue }
      waiting.append(tree.children[step][index])
    }
    // A step that never began has no span, so it isn't marked.
  }

  /// The parts of the run's time along the critical path.
  var parts: Parts {
    var parts = Parts()
    for step in ownSpans.indices where tree.children[step].isEmpty {
      let critical = ownSpans[step].filter { spans[$0].isCritical && !spans[$0].isUndo }
      guard !critical.isEmpty else { continue }
      let duration = critical.reduce(0) { $0 &+ max(spans[$1].end - spans[$1].start, 0) }
      if waits(step) { parts.waits &+= duration } else { parts.steps.append(Share(step: step, duration: duration)) }
      parts.delays &+= delay(of: step)
    }
    parts.steps.sort { ($1.duration, $0.step) < ($0.duration, $1.step) }
    parts.undos = undoDuration
    let sum = parts.steps.reduce(parts.waits &+ parts.delays &+ parts.undos) { $0 &+ $1.duration }
    parts.rest = max(end &- sum, 0)
    return parts
  }

  /// The time in which anything was undone; undos at the same time count once.
  ///
  /// The spans are in the order of their starts.
  private var undoDuration: Int64 {
    var (sum, reached) = (Int64(0), Int64.min)
    for span in spans where span.isUndo && span.end > reached {
      sum &+= span.end - max(span.start, reached)
      reached = span.end
    }
    return sum
  }

  /// The time between the attempts of a step.
  func delay(of step: Int) -> Int64 {
    let attempts = ownSpans[step].lazy.map { spans[$0] }.filter { !$0.isUndo }
    return zip(attempts, attempts.dropFirst()).reduce(0) { $0 &+ max($1.1.start - $1.0.end, 0) }
  }

  /// Returns true if a step only waits.
  func waits(_ step: Int) -> Bool { tree.steps[step].options.contains(.wait) }

  /// Returns the lane of a group in which its last item ended.
  private func lastLane(_ step: Int) -> [Int]? {
    lanes[step].max { left, right in end(of: left) < end(of: right) }
  }

  private func end(of lane: [Int]) -> Int64 {
    lane.reduce(-1) { max($0, spans[$1].isUndo ? -1 : spans[$1].end) }
  }
}
