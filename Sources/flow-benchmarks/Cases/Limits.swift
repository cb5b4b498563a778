import Foundation
import OperationFlow

extension Benchmark {
  private static let items: FlowKey<[Int]> = "items"
  private static let itemCount = 100_000
  private static let wide = FlowLimiter(atMost: 1_000)
  private static let quick = FlowLimiter(atMost: 1_000, starts: 1_000_000, per: .milliseconds(1))

  /// Steps whose limiter is never full: measures the cost of acquiring and releasing a permit.
  static let limitedSteps = Benchmark(
    name: "serial chain of 10,000 closures, with a limiter that is never full", unitCount: 10_000, baseline: "none",
    peers: [
      Peer("none") { _ = await plainSteps.run() },
      Peer("atMost", limit: 6) { _ = await stepsAtMost.run() },
      Peer("atMost and a rate", limit: 7.5) { _ = await stepsWithRate.run() },
    ])

  private static let plainSteps = Flow.of(10_000) { $0.add("step") { _ in } }
  private static let stepsAtMost = Flow.of(10_000) { $0.add("step", .limited(by: wide)) { _ in } }
  private static let stepsWithRate = Flow.of(10_000) { $0.add("step", .limited(by: quick)) { _ in } }

  /// Items whose limiter is never full, and items that wait for it most of the time.
  static let limitedItems = Benchmark(
    name: "group of 100,000 no-op items, width 3, with a limiter", unitCount: itemCount, baseline: "none",
    peers: [
      Peer("none") { _ = await plainItems.run() },
      Peer("never full", limit: 3) { _ = await itemsAtMost.run() },
      Peer("width 64, full with 2") { _ = await itemsThatWait.run() },
    ])

  private static let plainItems = Flow().set(items, to: Array(0..<itemCount)).forEach(items, width: 3) { _, _ in }
  private static let itemsAtMost = Flow().set(items, to: Array(0..<itemCount))
    .forEach(items, width: 3, .limited(by: wide)) { _, _ in }
  private static let itemsThatWait = Flow().set(items, to: Array(0..<itemCount))
    .forEach(items, width: 64, .limited(by: FlowLimiter(atMost: 2))) { _, _ in }
}

extension MemoryCase {
  private static let items: FlowKey<[Int]> = "items"
  private static let waiterCount = 100_000

  /// The memory of work that waits at a limiter, beyond that of the same work without a limiter.
  static let limited = [
    MemoryCase(name: "group of 100,000 no-op items, width 100,000") {
      _ = await Flow().set(items, to: Array(0..<waiterCount)).forEach(items, width: waiterCount) { _, _ async in }.run()
    },
    MemoryCase(
      name: "the same, waiting at a limiter of 4", beyond: "group of 100,000 no-op items, width 100,000",
      unitCount: waiterCount, limit: 1, threadLimit: spareThreads
    ) {
      let (limiter, gate) = (FlowLimiter(atMost: 4), Gate())
      let run = Flow().set(items, to: Array(0..<waiterCount)).forEach(
        items, width: waiterCount, .limited(by: limiter)
      ) { _, _ in await gate.wait() }.start()
      while limiter.waitingCount < waiterCount - 4 { await Task.yield() }
      MemoryProbe.countThreads()
      gate.open()
      _ = await run.outcome
    },
    MemoryCase(name: "100,000 tasks that wait") {
      let gate = Gate()
      let tasks = (0..<waiterCount).map { _ in Task { await gate.wait() } }
      while gate.waitingCount < waiterCount { await Task.yield() }
      gate.open()
      for task in tasks { await task.value }
    },
    MemoryCase(
      name: "the same, waiting at a limiter of 4 for a permit", beyond: "100,000 tasks that wait",
      unitCount: waiterCount, limit: 1, threadLimit: spareThreads
    ) {
      let (limiter, gate) = (FlowLimiter(atMost: 4), Gate())
      let tasks = (0..<waiterCount).map { _ in Task { try await limiter.withPermit { await gate.wait() } } }
      while limiter.waitingCount < waiterCount - 4 { await Task.yield() }
      MemoryProbe.countThreads()
      gate.open()
      for task in tasks { _ = try? await task.value }
    },
  ]
}
