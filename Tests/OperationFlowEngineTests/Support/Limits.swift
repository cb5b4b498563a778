@testable import OperationFlow

extension FlowLimiter {
  /// The number of permits in use.
  var heldCount: Int { state.withLock { $0.queue.heldCount } }
  var isIdle: Bool { heldCount == 0 && waitingCount == 0 }
}

/// Checks by a run's record that no more limited steps and items ran at once than their limiters allow.
struct LimitCheck {
  /// A description of a fault; `nil` if there is none.
  private(set) var complaint: String?

  private struct Work: Hashable {
    let step: Int32
    let item: Int?
  }

  init(_ outcome: FlowOutcome, _ flow: Flow) {
    let steps = flow.state.withLock { $0.sharedBlueprint() }.value.steps
    var open: Set<Work> = []
    var counts: [ObjectIdentifier: Int] = [:]
    for event in outcome.report.events where steps.indices.contains(Int(event.source.step)) {
      let limiters = steps[Int(event.source.step)].options?.limiters ?? []
      let work = Work(step: event.source.step, item: event.source.item)
      switch event.kind {
      case .started where open.insert(work).inserted:
        for limiter in limiters {
          counts[ObjectIdentifier(limiter), default: 0] += 1
          let (count, limit) = (counts[ObjectIdentifier(limiter)] ?? 0, limiter.state.withLock { $0.queue.limit })
          if count > limit { complaint = "\(count) run at once at \(event.source), and not \(limit)" }
        }
      case .finished where open.remove(work) != nil:
        for limiter in limiters { counts[ObjectIdentifier(limiter), default: 0] -= 1 }
      default: break
      }
    }
    for limiter in steps.flatMap({ $0.options?.limiters ?? [] }) where !limiter.isIdle {
      complaint = "\(limiter.heldCount) permits are not back, and \(limiter.waitingCount) wait"
    }
  }
}
