import Foundation
import OperationFlow

extension Benchmark {
  private static let itemCount = 100_000

  /// A group of items that do nothing, three at once: measures the cost of an item in addition to its work.
  static let group = Benchmark(
    name: "group of 100,000 no-op items, width 3", unitCount: itemCount, baseline: "TaskGroup, a window of 3",
    peers: [
      Peer("OperationQueue, blocks") {
        await waiting { done in
          let queue = OperationQueue()
          queue.maxConcurrentOperationCount = 3
          let countdown = Countdown(itemCount, whenZero: done)
          for _ in 0..<itemCount { queue.addOperation { countdown.arrive() } }
        }
      },
      Peer("TaskGroup, a window of 3") {
        await withTaskGroup(of: Void.self) { group in
          for index in 0..<itemCount {
            if index >= 3 { await group.next() }
            group.addTask {}
          }
        }
      },
      Peer("concurrentPerform, as wide as the machine") {
        DispatchQueue.concurrentPerform(iterations: itemCount) { _ in }
      },
      Peer("Flow, operations", limit: 1.5) { _ = await operations.run() },
      Peer("Flow, closures", limit: 0.6) { _ = await closures.run() },
      Peer("Flow, asynchronous closures", limit: 1) { _ = await asynchronousNoOps.run() },
      Peer("Flow, closures, width 1") { _ = await oneByOne.run() },
    ])

  private static let items: FlowKey<[Int]> = "items"
  private static let operations = Flow().set(items, to: Array(0..<itemCount))
    .addGrouped(
      operationCreator: NothingOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "items", outputKey: "outputs"))
  private static let oneByOne = Flow().set(items, to: Array(0..<itemCount)).forEach(items, width: 1) { _, _ in }
  private static let closures = Flow().set(items, to: Array(0..<itemCount)).forEach(items, width: 3) { _, _ in }
  private static let asynchronousNoOps = Flow().set(items, to: Array(0..<itemCount))
    .forEach(items, width: 3) { _, _ async in }

  /// Items that wait a millisecond each without a thread, 64 at once: compares a group's time with that of the waiting.
  static let asynchronousItems = Benchmark(
    name: "5,000 items of 1 ms asynchronous work, width 64", unitCount: 5_000,
    baseline: "TaskGroup, a window of 64",
    peers: [
      Peer("64 asyncAfter chains") {
        await waiting { done in
          let countdown = Countdown(64, whenZero: done)
          @Sendable func next(_ left: Int) {
            guard left > 0 else { return countdown.arrive() }
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) { next(left - 1) }
          }
          for chain in 0..<64 { next(5_000 / 64 + (chain < 5_000 % 64 ? 1 : 0)) }
        }
      },
      Peer("OperationQueue") {
        await onOperationQueue(width: 64) { queue in
          for _ in 0..<5_000 { queue.addOperation(BareMillisecondOperation()) }
        }
      },
      Peer("TaskGroup, a window of 64") {
        await withTaskGroup(of: Void.self) { group in
          for index in 0..<5_000 {
            if index >= 64 { await group.next() }
            group.addTask { try? await Task.sleep(for: .milliseconds(1)) }
          }
        }
      },
      Peer("Flow, operations") { _ = await waitingItems.run() },
      Peer("Flow, asynchronous closures", limit: 1.1) { _ = await asynchronousWaits.run() },
    ])

  private static let waitingItems = Flow().set(items, to: Array(0..<5_000))
    .addGrouped(
      operationCreator: MillisecondOp.self,
      dispatcher: FlowArrayGroupDispatcher(inputKey: "items", outputKey: "outputs", maxConcurrentOperationCount: 64))
  private static let asynchronousWaits = Flow().set(items, to: Array(0..<5_000))
    .forEach(items, width: 64) { _, _ in try? await Task.sleep(for: .milliseconds(1)) }
}
