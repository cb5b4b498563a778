import OperationFlow

extension Benchmark {
  /// Chains of steps with traits that are never needed: measures the cost of having the traits.
  static let traits = Benchmark(
    name: "a step with traits against one without", unitCount: 10_000, baseline: "closure",
    peers: [
      Peer("closure") { _ = await plain.run() },
      Peer("closure, a retry that is never needed", limit: 2.6) { _ = await retried.run() },
      Peer("closure, a timeout that never fires", limit: 7.5) { _ = await timed.run() },
      Peer("closure, a recovery that is never needed", limit: 2.6) { _ = await recovering.run() },
    ])

  private static let plain = Flow.of(10_000) { $0.add("nothing") { _ in } }
  private static let retried = Flow.of(10_000) { $0.add("nothing", .retry(.attempts(3))) { _ in } }
  private static let timed = Flow.of(10_000) { $0.add("nothing", .timeout(.seconds(60))) { _ in } }
  private static let recovering = Flow.of(10_000) { $0.add("nothing", .recover { _, _ in }) { _ in } }

  /// Groups of items with traits that are never needed.
  static let itemTraits = Benchmark(
    name: "an item with traits against one without", unitCount: 10_000, baseline: "closures",
    peers: [
      Peer("closures") { _ = await plainItems.run() },
      Peer("closures, a retry that is never needed", limit: 1.2) { _ = await retriedItems.run() },
      Peer("closures, a timeout that never fires", limit: 2.0) { _ = await timedItems.run() },
    ])

  private static let plainItems = Flow().forEach(in: 0..<10_000) { (_: Int, _) in }
  private static let retriedItems = Flow().forEach(in: 0..<10_000, .retry(.attempts(3))) { (_: Int, _) in }
  private static let timedItems = Flow().forEach(in: 0..<10_000, .timeout(.seconds(60))) { (_: Int, _) in }
}
