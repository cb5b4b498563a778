import Foundation
import OperationFlow
import OperationFlowProgressions

extension MemoryCase {
  private static let items: FlowKey<[Int]> = "items"
  private static let outputs: FlowKey<[Int]> = "outputs"

  /// All cases; the first is that of an empty process.
  static let all = memory + durable + waitingRuns + blocking + limited

  private static let memory = [
    MemoryCase(name: "empty process") {},
    MemoryCase(name: "arrays of 1,000,000 items and outputs") {
      let items = Array(0..<1_000_000)
      let outputs: [any Sendable] = items.map { $0 }
      withExtendedLifetime((items, outputs)) {}
    },
    MemoryCase(
      name: "group of 1,000,000 items with their outputs", beyond: "arrays of 1,000,000 items and outputs",
      limit: 8 * 1_024
    ) {
      _ = await Flow().set(items, to: Array(0..<1_000_000)).forEach(items, into: outputs) { item, _ in item }.run()
    },
    MemoryCase(
      name: "the same, and everything recorded", beyond: "arrays of 1,000,000 items and outputs"
    ) {
      _ = await Flow().recording(.everything).set(items, to: Array(0..<1_000_000))
        .forEach(items, into: outputs) { item, _ in item }.run()
    },
    MemoryCase(name: "progression of 1,000,000 steps that defer") {
      _ = try? await Deferring(left: 1_000_000).deferred(queue: DispatchQueue(label: "progression")).value
    },
    MemoryCase(name: "deferred that goes on with itself 1,000,000 times") {
      @Sendable func count(from number: Int) -> Deferred<Int> {
        guard number < 1_000_000 else { return .unit { number } }
        return Deferred { number + 1 }.flatMap { use in count(from: try use()) }
      }
      _ = try? await count(from: 0).value
    },
    MemoryCase(
      name: "10,000 flows in flight", unitCount: 10_000, limit: 7,
      threadLimit: spareThreads
    ) {
      let gate = Gate()
      let runs = (0..<10_000).map { _ in Flow().add("wait") { _ in await gate.wait() }.start() }
      while gate.waitingCount < runs.count { await Task.yield() }
      MemoryProbe.countThreads()
      gate.open()
      for run in runs { _ = await run.outcome }
    },
  ]
}

/// A progression whose steps are futures that call back immediately.
private struct Deferring: Progression {
  let left: Int
  var result: Int? { left == 0 ? 0 : nil }
  func next() -> Deferred<Deferring> { .future { resolve in resolve { Deferring(left: left - 1) } } }
}

/// A gate at which tasks wait until it is opened, for good.
final class Gate: @unchecked Sendable {
  // Invariant: the state is read and written under `lock` only.
  private let lock = NSLock()
  private var waiters: [CheckedContinuation<Void, Never>] = []
  private var isOpen = false

  var waitingCount: Int { lock.withLock { waiters.count } }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = lock.withLock {
        if !self.isOpen { waiters.append(continuation) }
        return self.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiting = lock.withLock {
      defer { (waiters, isOpen) = ([], true) }
      return waiters
    }
    for waiter in waiting { waiter.resume() }
  }
}
