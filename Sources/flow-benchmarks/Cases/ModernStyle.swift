import Foundation
import OperationFlow

// The style that the README shows: asynchronous closures, operations that override `run()`, and declared inputs and
// outputs.
extension Benchmark {
  private static let stepCount = 10_000

  static let asynchronousSteps = Benchmark(
    name: "serial chain of 10,000 asynchronous no-ops", unitCount: stepCount,
    baseline: "TaskGroup, one at a time",
    peers: [
      Peer("TaskGroup, one at a time") {
        await withTaskGroup(of: Void.self) { group in
          for _ in 0..<stepCount {
            group.addTask {}
            await group.next()
          }
        }
      },
      Peer("tasks, each awaited") {
        for _ in 0..<stepCount { await Task {}.value }
      },
      Peer("Flow, asynchronous closures", limit: 1) { _ = await asynchronousClosures.run() },
      Peer("Flow, run() async", limit: 2) { _ = await runOperations.run() },
    ])

  static let asynchronousAgainstPlain = Benchmark(
    name: "an asynchronous closure step against a synchronous one", unitCount: stepCount,
    baseline: "synchronous closure",
    peers: [
      Peer("synchronous closure") { _ = await closures.run() },
      Peer("asynchronous closure", limit: 3.5) { _ = await asynchronousClosures.run() },
    ])

  static let runAgainstMainLogic = Benchmark(
    name: "an operation with ports, or with run(), against one with neither", unitCount: stepCount,
    baseline: "mainLogic()",
    peers: [
      Peer("mainLogic()") { _ = await operations.run() },
      Peer("mainLogic(), two inputs and an output", limit: 4) { _ = await ports.run() },
      Peer("run() async", limit: 2) { _ = await runOperations.run() },
    ])

  private static let closures = Flow.of(stepCount) { $0.add("nothing") { _ in } }
  private static let asynchronousClosures = Flow.of(stepCount) { $0.add("nothing") { _ async in } }
  private static let operations = Flow.of(stepCount) { $0.add(NothingOp()) }
  private static let runOperations = Flow.of(stepCount) { $0.add(AsyncOp()) }
  private static let ports = Flow.of(stepCount) { $0.add(PortsOp()) }
    .setDataBucket(dataBucket: ["left": 1, "right": 2])
}
