import Foundation
import OperationFlow

// Work that users have: it suspends, fails, is retried, or continues on another thread. Each case is compared with the
// code that one would write without the library. Processor time is measured, so waiting costs nothing.
extension Benchmark {
  static let usersWork = [
    resumesElsewhere, sleepsForZero, waitingItems, asynchronousItems(width: 3), asynchronousItems(width: 64), runItems,
    runChain, fiveSteps, fiveRuns, fiveSuspensions, failingItems, closureSteps, synchronousItems, stepsInTurn,
  ]

  private static let items: FlowKey<[Int]> = "items"

  private static let resumesElsewhere = Benchmark(
    processorTimeOf: "20,000 steps that another task resumes", unitCount: 20_000, baseline: "await in a loop",
    peers: [
      Peer("await in a loop") {
        for _ in 0..<20_000 { await resumedElsewhere() }
      },
      Peer("Flow", limit: 3) { _ = await flow.run() },
    ])
  private static let flow = Flow.of(20_000) { $0.add("hop") { _ in await resumedElsewhere() } }

  private static let sleepsForZero = Benchmark(
    processorTimeOf: "20,000 steps that sleep for zero", unitCount: 20_000, baseline: "await in a loop",
    peers: [
      Peer("await in a loop") {
        for _ in 0..<20_000 { try? await Task.sleep(for: .zero) }
      },
      Peer("Flow", limit: 3.5) { _ = await sleepingFlow.run() },
    ])
  private static let sleepingFlow = Flow.of(20_000) { $0.add("sleep") { _ in try await Task.sleep(for: .zero) } }

  private static let waitingItems = Benchmark(
    processorTimeOf: "20,000 items that wait for 1 ms, width 64", unitCount: 20_000, baseline: "TaskGroup with a limit",
    peers: [
      Peer("TaskGroup with a limit") {
        await inTaskGroup(of: 20_000, width: 64) { _ in try? await Task.sleep(for: .milliseconds(1)) }
      },
      Peer("Flow", limit: 1.15) {
        _ = await Flow().forEach(in: 0..<20_000, width: 64) { _, _ in try await Task.sleep(for: .milliseconds(1)) }
          .run()
      },
    ])

  private static func asynchronousItems(width: Int) -> Benchmark {
    Benchmark(
      processorTimeOf: "100,000 asynchronous no-op items, width \(width)", unitCount: 100_000,
      baseline: "TaskGroup with a limit",
      peers: [
        Peer("TaskGroup with a limit") { await inTaskGroup(of: 100_000, width: width) { _ in } },
        Peer("Flow", limit: 1.3) {
          _ = await Flow().set(items, to: Array(0..<100_000)).forEach(items, width: width) { _, _ async in }.run()
        },
      ])
  }

  private static let runItems = Benchmark(
    processorTimeOf: "20,000 items with run(), width 3", unitCount: 20_000, baseline: "Operation with a Task",
    peers: [
      Peer("Operation with a Task") {
        await onOperationQueue(width: 3) { queue in
          for _ in 0..<20_000 { queue.addOperation(BareTaskOperation()) }
        }
      },
      Peer("Flow", limit: 0.5) { _ = await runItemsFlow.run() },
    ])
  private static let runItemsFlow = Flow().set("items", to: Array(0..<20_000))
    .addGrouped(
      operationCreator: AsyncItemOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "items", outputKey: "outputs"))

  private static let runChain = Benchmark(
    processorTimeOf: "chain of 20,000 run()", unitCount: 20_000, baseline: "Operation with a Task",
    peers: [
      Peer("Operation with a Task") {
        await onOperationQueue(width: 1) { queue in
          for _ in 0..<20_000 { queue.addOperation(BareTaskOperation()) }
        }
      },
      Peer("Flow", limit: 0.5) { _ = await runChainFlow.run() },
    ])
  private static let runChainFlow = Flow.of(20_000) { $0.add(AsyncOp()) }

  private static let fiveSteps = ofFiveSteps("closures", Flow.of(5) { $0.add("step") { _ in } }) {}
  private static let fiveRuns = ofFiveSteps("run()", Flow.of(5) { $0.add(AsyncOp()) }) {}
  private static let fiveSuspensions = ofFiveSteps(
    "suspensions", Flow.of(5) { $0.add("hop") { _ in await resumedElsewhere() } }
  ) {
    await resumedElsewhere()
  }

  private static func ofFiveSteps(
    _ kind: String, _ flow: Flow, _ work: @escaping @Sendable () async -> Void
  ) -> Benchmark {
    Benchmark(
      processorTimeOf: "flow of five \(kind), run 4,000 times", unitCount: 4_000, baseline: "five Tasks, each awaited",
      peers: [
        Peer("five Tasks, each awaited") {
          for _ in 0..<4_000 {
            for _ in 0..<5 { await Task { await work() }.value }
          }
        },
        Peer("Flow", limit: kind == "closures" ? 4 : nil) {
          for _ in 0..<4_000 { _ = await flow.run() }
        },
      ])
  }

  private static let failingItems = Benchmark(
    processorTimeOf: "20,000 items that fail twice, width 3", unitCount: 20_000, baseline: "TaskGroup with a loop",
    peers: [
      Peer("TaskGroup with a loop") {
        await inTaskGroup(of: 20_000, width: 3) { _ in
          for attempt in 1...3 {
            do { return try await failing(until: 3, attempt) } catch { continue }
          }
        }
      },
      Peer("Flow", limit: 3.5) {
        _ = await Flow().set(items, to: Array(0..<20_000)).forEach(items, width: 3, .retry(.attempts(3))) {
          _, context in
          try await failing(until: 3, context.attempt)
        }.run()
      },
    ])

  private static let closureSteps = Benchmark(
    processorTimeOf: "chain of 100,000 closures", unitCount: 100_000, baseline: "Task, awaited",
    peers: [
      Peer("Task, awaited") {
        for _ in 0..<100_000 { await Task {}.value }
      },
      Peer("Flow", limit: 0.8) { _ = await closureFlow.run() },
    ])
  private static let closureFlow = Flow.of(100_000) { $0.add("nothing") { _ in } }

  private static let synchronousItems = Benchmark(
    processorTimeOf: "100,000 no-op items, width 3", unitCount: 100_000, baseline: "TaskGroup with a limit",
    peers: [
      Peer("TaskGroup with a limit") { await inTaskGroup(of: 100_000, width: 3) { _ in } },
      Peer("Flow", limit: 0.8) {
        _ = await Flow().set(items, to: Array(0..<100_000)).forEach(items, width: 3) { _, _ in }.run()
      },
    ])

  private static let stepsInTurn = Benchmark(
    processorTimeOf: "20,000 synchronous and asynchronous no-ops in turn", unitCount: 20_000,
    baseline: "Operation with a Task",
    peers: [
      Peer("Operation with a Task") {
        await onOperationQueue(width: 1) { queue in
          for _ in 0..<20_000 { queue.addOperation(BareTaskOperation()) }
        }
      },
      Peer("Flow", limit: 1.5) { _ = await turnsFlow.run() },
    ])
  private static let turnsFlow = Flow.of(10_000) { $0.add("synchronous") { _ in }.add("asynchronous") { _ async in } }
}

/// Suspends the caller until another task resumes it.
private func resumedElsewhere() async {
  await withUnsafeContinuation { continuation in Task.detached { continuation.resume() } }
}

private struct NotYet: Error {}

/// Fails before the attempt `last`.
private func failing(until last: Int, _ attempt: Int) async throws {
  if attempt < last { throw NotYet() }
}

/// Runs this many pieces of work in a task group, with at most `width` of them at once.
private func inTaskGroup(of count: Int, width: Int, _ work: @escaping @Sendable (Int) async -> Void) async {
  await withTaskGroup(of: Void.self) { group in
    for index in 0..<count {
      if index >= width { await group.next() }
      group.addTask { await work(index) }
    }
  }
}
