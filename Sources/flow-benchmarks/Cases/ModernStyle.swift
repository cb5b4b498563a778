import Foundation
import OperationFlow

// The style that the README shows: asynchronous closures, operations that override `run()`, and declared inputs and
// outputs.
extension Benchmark {
  private static let stepCount = 10_000
  private static let itemCount = 100_000

  static let asynchronousSteps = Benchmark(
    name: "serial chain of 10,000 asynchronous no-ops", unitCount: stepCount, baseline: "tasks, each awaited",
    peers: [
      Peer("tasks, each awaited") {
        for _ in 0..<stepCount { await Task {}.value }
      },
      Peer("Flow, asynchronous closures", limit: 0.15) { _ = await asynchronousClosures.run() },
      Peer("Flow, run() async", limit: 0.4) { _ = await runOperations.run() },
    ])

  static let asynchronousAgainstPlain = Benchmark(
    name: "an asynchronous closure step against a synchronous one", unitCount: stepCount,
    baseline: "synchronous closure",
    peers: [
      Peer("synchronous closure") { _ = await closures.run() },
      Peer("asynchronous closure", limit: 2) { _ = await asynchronousClosures.run() },
    ])

  static let runAgainstMainLogic = Benchmark(
    name: "an operation with ports, or with run(), against one with neither", unitCount: stepCount,
    baseline: "mainLogic()",
    peers: [
      Peer("mainLogic()") { _ = await operations.run() },
      Peer("mainLogic(), two inputs and an output", limit: 2) { _ = await ports.run() },
      Peer("run() async", limit: 1.3) { _ = await runOperations.run() },
    ])

  static let itemsAgainstTaskGroup = Benchmark(
    name: "group of 100,000 no-op items, width 3, against a TaskGroup", unitCount: itemCount,
    baseline: "TaskGroup, a window of 3",
    peers: [
      Peer("TaskGroup, a window of 3") {
        await withTaskGroup(of: Void.self) { group in
          for index in 0..<itemCount {
            if index >= 3 { await group.next() }
            group.addTask {}
          }
        }
      },
      Peer("Flow, operations", limit: 0.6) { _ = await operationItems.run() },
      Peer("Flow, closures", limit: 0.15) { _ = await closureItems.run() },
      Peer("Flow, asynchronous closures", limit: 0.2) { _ = await asynchronousNoOps.run() },
    ])

  static let waitingItemsAgainstTaskGroup = Benchmark(
    name: "5,000 items of 1 ms asynchronous work, width 64, against a TaskGroup", unitCount: 5_000,
    baseline: "TaskGroup, a window of 64",
    peers: [
      Peer("TaskGroup, a window of 64") {
        await withTaskGroup(of: Void.self) { group in
          for index in 0..<5_000 {
            if index >= 64 { await group.next() }
            group.addTask { try? await Task.sleep(for: .milliseconds(1)) }
          }
        }
      },
      Peer("Flow, asynchronous closures", limit: 1) { _ = await waitingItems.run() },
    ])

  private static let closures = Flow.of(stepCount) { $0.add("nothing") { _ in } }
  private static let asynchronousClosures = Flow.of(stepCount) { $0.add("nothing") { _ async in } }
  private static let operations = Flow.of(stepCount) { $0.add(NothingOp()) }
  private static let runOperations = Flow.of(stepCount) { $0.add(AsyncOp()) }
  private static let ports = Flow.of(stepCount) { $0.add(PortsOp()) }
    .setDataBucket(dataBucket: ["left": 1, "right": 2])

  private static let items: FlowKey<[Int]> = "items"
  private static let operationItems = Flow().set(items, to: Array(0..<itemCount))
    .addGrouped(
      operationCreator: NothingOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "items", outputKey: "outputs"))
  private static let closureItems = Flow().set(items, to: Array(0..<itemCount)).forEach(items, width: 3) { _, _ in }
  private static let asynchronousNoOps = Flow().set(items, to: Array(0..<itemCount))
    .forEach(items, width: 3) { _, _ async in }
  private static let waitingItems = Flow().set(items, to: Array(0..<5_000))
    .forEach(items, width: 64) { _, _ in try? await Task.sleep(for: .milliseconds(1)) }
}
