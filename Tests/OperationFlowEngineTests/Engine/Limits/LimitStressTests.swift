import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Runs many flows with a few limiters from many threads: cancelled, paused, failing and finishing elsewhere.
@Suite(.long) struct LimitStressTests {
  /// A limiter, and a counter that the work itself changes while it has a permit.
  private struct Counted: Sendable {
    let limiter: FlowLimiter
    let limit: Int
    let counter = Counter()

    init(_ limit: Int, isTimed: Bool = false) {
      self.limit = limit
      limiter =
        isTimed
        ? FlowLimiter(atMost: limit, starts: 50, per: .microseconds(500)) : FlowLimiter(atMost: limit)
    }
  }

  private let counted = [Counted(1), Counted(2), Counted(5), Counted(3, isTimed: true)]
  private let crew = Crew(size: 2)

  @Test func `whatever becomes of the flows, no limiter gives too many permits, and all are back at the end`() async {
    await forEachSeed(count: 300, workers: 8) { await stress($0) }
    for one in counted {
      #expect(one.counter.peak <= one.limit && one.counter.now == 0 && one.limiter.isIdle)
    }
  }

  private func stress(_ seed: UInt64) async -> String? {
    var random = SeededGenerator(seed: seed)
    if random.oneIn(5) {
      await stressTasks(&random)
      return nil
    }
    let flow = Flow()
    for _ in 0...random.below(3) { add(to: flow, &random) }
    let run = flow.start()
    let (fate, delay) = (random.below(4), random.below(2_000))
    crew.give {
      for _ in 0..<delay { _ = DispatchTime.now() }
      switch fate {
      case 0: run.cancel()
      case 1:
        run.pause()
        for _ in 0..<delay { _ = DispatchTime.now() }
        run.resume()
      default: break
      }
    }
    let outcome = await run.outcome
    return RecordCheck(outcome).complaint ?? LimitCheck.atEnd(outcome)
  }

  private func add(to flow: Flow, _ random: inout SeededGenerator) {
    let own = (0...random.below(3)).map { _ in counted[random.below(counted.count)] }
    func limited<Work>() -> StepTrait<Work> { StepTrait { $0.limit(by: own.map(\.limiter)) } }
    // A limiter that is named twice grants one permit, and counts once.
    let counters = Dictionary(own.map { (ObjectIdentifier($0.limiter), $0.counter) }) { first, _ in first }.values.map(
      \.self)
    let (mayFail, isLater) = (random.oneIn(3), random.oneIn(2))
    let crew = crew
    let (count, width) = (random.below(12), 1 + random.below(12))
    switch random.below(3) {
    case 0:
      flow.forEach(in: 0..<count, width: width, tolerating: mayFail ? .all : .none, limited()) {
        item, _ in
        for counter in counters { counter.enter() }
        if isLater { await Task.yield() }
        for counter in counters { counter.leave() }
        if mayFail, item.isMultiple(of: 2) { throw TestError() }
      }
    case 1:
      flow.add(
        BlockOp(nil) { operation in
          for counter in counters { counter.enter() }
          let end = { @Sendable in
            for counter in counters { counter.leave() }
            operation.finishSuccessfully()
          }
          // A cancelled operation ends without its callback.
          if isLater, !operation.isCancelled {
            for counter in counters { counter.leave() }
            operation.startWithAsynchronous()
            crew.give { operation.finishSuccessfully() }
          } else {
            end()
          }
        }, limited())
    default:
      flow.add("synchronous", limited()) { _ in
        for counter in counters { counter.enter() }
        for counter in counters { counter.leave() }
      }
    }
  }

  private func stressTasks(_ random: inout SeededGenerator) async {
    let one = counted[random.below(counted.count)]
    let tasks = (0...random.below(6)).map { _ in
      Task {
        try await one.limiter.withPermit {
          one.counter.enter()
          await Task.yield()
          one.counter.leave()
        }
      }
    }
    for task in tasks where random.oneIn(3) { task.cancel() }
    for task in tasks { _ = await task.result }
  }
}

extension LimitCheck {
  /// Returns a complaint if a run fails that shares its limiters with others; `nil` if it doesn't fail.
  fileprivate static func atEnd(_ outcome: FlowOutcome) -> String? {
    outcome.error == nil || outcome.isCancelled ? nil : "it fails with \(String(describing: outcome.error))"
  }
}
