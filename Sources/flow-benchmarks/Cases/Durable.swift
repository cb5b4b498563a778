import Foundation
import OperationFlow
import OperationFlowDurable

extension Benchmark {
  private static let count = 10_000
  private static let itemCount = 100_000
  private static let steps = Flow.of(count) { $0.add("step") { _ in } }
  private static let numbers: FlowKey<[Int]> = "numbers"
  private static let items = Flow().set(numbers, to: Array(0..<itemCount)).forEach(numbers, width: 3) { _, _ in }

  /// The cost that a journal in a file adds to a step, compared with writing as many bytes.
  static let durableSteps = Benchmark(
    name: "serial chain of 10,000 closures, with a journal", unitCount: count, baseline: "bare write",
    peers: [
      Peer("no journal") { _ = await steps.run() },
      Peer("bare write") { writeBare() },
      Peer("operatingSystem", limit: 4) { await run(steps, .operatingSystem) },
      Peer("grouped") { await run(steps, .grouped()) },
    ])

  /// Resuming a run whose journal has all entries but the last.
  static let resumedItems = Benchmark(
    name: "group of 100,000 no-op items, resumed from its journal", unitCount: itemCount, baseline: "run",
    peers: [
      Peer("run") { _ = await items.run() },
      Peer("resumed", limit: 3) {
        _ = await items.run(id: "a", in: MemoryFlowStore(["a": await settled]), durability: .operatingSystem)
      },
    ])

  private static let waitingCount = 10_000
  private static let waitingItems = Flow().forEach(in: 0..<waitingCount, width: 64) { _, _ async in await Task.yield() }

  /// The cost of writing settlements to the disk soon, if many of them share a write.
  static let groupedItems = Benchmark(
    name: "group of 10,000 asynchronous items, 64 at once, with a journal", unitCount: waitingCount,
    baseline: "operatingSystem",
    peers: [
      Peer("operatingSystem") { await run(waitingItems, .operatingSystem) },
      Peer("grouped", limit: 1.5) { await run(waitingItems, .grouped()) },
    ])

  private static let settledTask = Task {
    let store = MemoryFlowStore()
    _ = await items.run(id: "a", in: store, durability: .operatingSystem)
    return Array((store.journals["a"] ?? []).dropLast())
  }

  private static var settled: [Data] { get async { await settledTask.value } }

  private static func run(_ flow: Flow, _ durability: FlowDurability) async {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("flow-benchmarks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    _ = await flow.run(id: "a", in: FileFlowStore(folder: folder), durability: durability)
  }

  /// Writes records that are as long as those of steps, one call for each.
  private static func writeBare() {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("flow-benchmarks-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    guard FileManager.default.createFile(atPath: file.path, contents: nil) else { return }
    let descriptor = open(file.path, O_WRONLY | O_APPEND)
    defer { close(descriptor) }
    let record = [UInt8](repeating: 1, count: 16 + 14)
    for _ in 0..<count { _ = write(descriptor, record, record.count) }
  }
}
