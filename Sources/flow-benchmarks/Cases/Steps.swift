import Foundation
import OperationFlow

extension Benchmark {
  /// A chain of operations that each finish from another queue: measures the cost of a round trip to that queue.
  static let asynchronousChain = Benchmark(
    name: "serial chain of 10,000 operations that finish elsewhere", unitCount: 10_000, baseline: "OperationQueue",
    peers: [
      Peer("OperationQueue") {
        await onOperationQueue(width: 1) { queue in
          for _ in 0..<10_000 { queue.addOperation(BareElsewhereOperation()) }
        }
      },
      Peer("Flow") { _ = await elsewhere.run() },
    ])

  private static let elsewhere = Flow.of(10_000) { $0.add(ElsewhereOp()) }

  /// A flow without steps: measures the cost of a run itself.
  static let emptyFlow = Benchmark(
    name: "starting and finishing an empty flow", unitCount: 1_000, baseline: "an Operation, started in place",
    peers: [
      Peer("an Operation, started in place") {
        for _ in 0..<1_000 { BareNothingOperation().start() }
      },
      Peer("OperationQueue, one block") {
        for _ in 0..<1_000 {
          await waiting { OperationQueue().addOperation($0) }
        }
      },
      Peer("Flow") {
        for _ in 0..<1_000 { _ = await empty.run() }
      },
    ])

  private static let empty = Flow()

  /// A chain that is a thousand times as long as another: a step must not cost more in a long flow.
  static let scale = Benchmark(
    name: "a step of a chain of 1,000,000 against one of 1,000", unitCount: 1_000_000, baseline: "1,000 steps",
    peers: [
      Peer("1,000 steps") {
        for _ in 0..<1_000 { _ = await short.run() }
      },
      Peer("1,000,000 steps", limit: 1.3) { _ = await long.run() },
    ])

  private static let short = Flow.of(1_000) { $0.add(NothingOp()) }
  private static let long = Flow.of(1_000_000) { $0.add(NothingOp()) }
}
