import Foundation
import OperationFlow

extension Benchmark {
  /// A chain of steps that do nothing: measures the cost of a step in addition to its work.
  static let serialChain = Benchmark(
    name: "serial chain of 10,000 no-ops", unitCount: 10_000, baseline: "DispatchQueue, serial",
    peers: [
      Peer("OperationQueue, blocks") {
        await onOperationQueue(width: 1) { queue in
          for _ in 0..<10_000 { queue.addOperation {} }
        }
      },
      Peer("OperationQueue, subclasses") {
        await onOperationQueue(width: 1) { queue in
          for _ in 0..<10_000 { queue.addOperation(BareNothingOperation()) }
        }
      },
      Peer("OperationQueue, addDependency") {
        await onOperationQueue(width: 1) { queue in
          var last: Operation?
          for _ in 0..<10_000 {
            let operation = BareNothingOperation()
            if let last { operation.addDependency(last) }
            queue.addOperation(operation)
            last = operation
          }
        }
      },
      Peer("DispatchQueue, serial") {
        await onSerialQueue(blocks: 10_000)
      },
      Peer("tasks, each awaited") {
        for _ in 0..<10_000 { await Task.detached {}.value }
      },
      Peer("await, one after the other") {
        var count = 0
        for _ in 0..<10_000 { await step(&count) }
        keep(count)
      },
      Peer("Flow, operations", limit: 6) { _ = await operations.run() },
      Peer("Flow, closures", limit: 1.5) { _ = await closures.run() },
      Peer("Flow, closures, nothing recorded") { _ = await unrecorded.run() },
      Peer("Flow, two inputs and an output") { _ = await ports.run() },
      Peer("Flow, run() async") { _ = await async.run() },
    ])

  private static let operations = Flow.of(10_000) { $0.add(NothingOp()) }
  private static let closures = Flow.of(10_000) { $0.add("nothing") { _ in } }
  private static let unrecorded = Flow.of(10_000) { $0.add("nothing") { _ in } }.recording(.none)
  private static let ports = Flow.of(10_000) { $0.add(PortsOp()) }.setDataBucket(dataBucket: ["left": 1, "right": 2])
  private static let async = Flow.of(10_000) { $0.add(AsyncOp()) }
}

extension Flow {
  /// Creates a flow of this many steps.
  static func of(_ count: Int, _ add: (Flow) -> Void) -> Flow {
    let flow = Flow()
    for _ in 0..<count { add(flow) }
    return flow
  }
}

/// An asynchronous function that does next to nothing, but is still called.
@inline(never)
private func step(_ count: inout Int) async { count &+= 1 }
