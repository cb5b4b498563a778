import Foundation
import OperationFlow

extension Benchmark {
  /// Items that block their threads for 10 ms each, 64 at once: measures how soon a group has the threads that it
  /// needs.
  static let blockingItems = Benchmark(
    name: "640 items that block for 10 ms, width 64", unitCount: 640, baseline: "64 threads",
    peers: [
      Peer("64 threads") {
        await waiting { done in
          let countdown = Countdown(64, whenZero: done)
          for _ in 0..<64 {
            Thread.detachNewThread {
              for _ in 0..<10 { block() }
              countdown.arrive()
            }
          }
        }
      },
      Peer("OperationQueue") {
        await onOperationQueue(width: 64) { queue in
          for _ in 0..<640 { queue.addOperation { block() } }
        }
      },
      Peer("Flow, operations", limit: 1.1) { _ = await blockingOperations.run() },
      Peer("Flow, closures", limit: 1.1) { _ = await blockingClosures.run() },
    ])

  private static let items: FlowKey<[Int]> = "items"
  private static let blockingOperations = Flow().set(items, to: Array(0..<640))
    .addGrouped(
      operationCreator: BlockingOp.self,
      dispatcher: FlowArrayGroupDispatcher(inputKey: "items", outputKey: "outputs", maxConcurrentOperationCount: 64))
  private static let blockingClosures = Flow().set(items, to: Array(0..<640)).forEach(items, width: 64) { _, _ in
    block()
  }
}

extension MemoryCase {
  /// Cases that block threads, in separate processes, because libdispatch retains the threads that it adds for seconds.
  static let blocking = [
    MemoryCase(name: "640 items that block for 10 ms, width 64: OperationQueue") {
      await onOperationQueue(width: 64) { queue in
        for _ in 0..<640 { queue.addOperation { block() } }
        MemoryProbe.countThreads()
      }
    },
    MemoryCase(name: "640 items that block for 10 ms, width 64: Flow", threadLimit: 64 + spareThreads, timeLimit: 1_000)
    {
      _ = await Flow().forEach(in: 0..<640, width: 64) { index, _ in
        if index == 600 { MemoryProbe.countThreads() }
        block()
      }.run()
    },
    MemoryCase(name: "6 that block, and another: OperationQueue") {
      let gate = ThreadGate()
      let queues = (0..<6).map { _ in OperationQueue() }
      for queue in queues { queue.addOperation { gate.pass() } }
      await waiting { OperationQueue().addOperation($0) }
      MemoryProbe.countThreads()
      gate.open()
      for queue in queues { await waiting { queue.addBarrierBlock($0) } }
    },
    MemoryCase(name: "200 that block, and another: Flow", threadLimit: 200 + spareThreads, timeLimit: 1_000) {
      let gate = ThreadGate()
      let runs = (0..<200).map { _ in Flow().add("blocked") { _ in gate.pass() }.start() }
      _ = await Flow().add("synchronous") { _ in }.add("asynchronous") { _ in await Task.yield() }.run()
      MemoryProbe.countThreads()
      gate.open()
      for run in runs { _ = await run.outcome }
    },
    MemoryCase(name: "5 in one another, each waited for by a thread: OperationQueue") {
      @Sendable func nest(_ depth: Int) {
        guard depth > 0 else { return MemoryProbe.countThreads() }
        let queue = OperationQueue()
        queue.addOperation { nest(depth - 1) }
        queue.waitUntilAllOperationsAreFinished()
      }
      nest(5)
    },
    MemoryCase(
      name: "50 in one another, each waited for by a thread: Flow", threadLimit: 50 + spareThreads, timeLimit: 1_000
    ) {
      @Sendable func nest(_ depth: Int) {
        guard depth > 0 else { return MemoryProbe.countThreads() }
        let isDone = DispatchSemaphore(value: 0)
        let run = Flow().add("inner") { _ in nest(depth - 1) }.start()
        Task {
          _ = await run.outcome
          isDone.signal()
        }
        isDone.wait()
      }
      await waiting { done in
        Thread.detachNewThread {
          nest(50)
          done()
        }
      }
    },
  ]

  /// The threads of the tasks and of the lanes, one of each per processor, the main thread, and those that manage them.
  static let spareThreads = 2 * ProcessInfo.processInfo.activeProcessorCount + 4
}

/// Blocks the thread for 10 ms, as a synchronous call does.
private func block() { Thread.sleep(forTimeInterval: 0.01) }

/// An operation of a flow that blocks the thread.
private final class BlockingOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { BlockingOp() }

  override func mainLogic() {
    block()
    finishSuccessfully()
  }
}

/// A gate at which threads wait until it is opened.
private final class ThreadGate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func open() { semaphore.signal() }

  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}
