import Foundation
import OperationFlow
import TestSupport
import Testing

#if os(Linux)
  /// Work that blocks its thread delays nothing else, although libdispatch's pool has no thread left and gets none.
  ///
  /// Each test has a process of its own, without tasks, since these run in that pool.
  @Suite(.heavy) struct BlockedLaneTests {
    /// Blocks all threads of libdispatch's pool, which has at most 255.
    private static func blockPool(until gate: Gate) {
      for _ in 0..<300 { DispatchQueue.global().async { gate.pass() } }
    }

    /// Blocks threads at a gate, and lets others wait until a number of them are there.
    private final class Crowd: Sendable {
      let gate = Gate()
      private let arrivals = DispatchSemaphore(value: 0)

      func pass() {
        arrivals.signal()
        gate.pass()
      }

      func reach(_ count: Int) { for _ in 0..<count { arrivals.wait() } }
    }

    @Test func `300 flows whose operations wait at a gate are all at work, and another flow ends before it opens`()
      async
    {
      await #expect(processExitsWith: .success) {
        await inThread {
          let (crowd, hasEnded) = (Crowd(), Gate())
          Self.blockPool(until: crowd.gate)
          let runs = (0..<300).map { _ in
            Flow().step {
              crowd.pass()
              $0.finishSuccessfully()
            }.start()
          }
          crowd.reach(300)
          let other = Flow().step().add("closure") { _ in }.forEach(in: 0..<10, width: 3) { _, _ in }
            .add("last") { _ in hasEnded.open() }.start()
          hasEnded.pass()
          #expect(runs.allSatisfy { $0.currentOutcome == nil })
          withExtendedLifetime(other) { crowd.gate.open() }
        }
      }
    }

    @Test func `an asynchronous flow ends beside 300 whose operations wait for it`() async {
      await #expect(processExitsWith: .success) {
        let crowd = Crowd()
        let runs = (0..<300).map { _ in
          Flow().step {
            crowd.pass()
            $0.finishSuccessfully()
          }.start()
        }
        await inThread { crowd.reach(300) }
        let other = Flow().add("task") { _ in await Task.yield() }.forEach(in: 0..<10) { _, _ in await Task.yield() }
        #expect(await other.run().isSuccess)
        #expect(runs.allSatisfy { $0.currentOutcome == nil })
        crowd.gate.open()
        for run in runs { #expect(await run.outcome.isSuccess) }
      }
    }

    // Two tests, since a closure for another process can capture nothing before Swift 6.3.
    @Test func `the items of a wide group all meet before any of them goes on`() async {
      await #expect(processExitsWith: .success) { await Self.meet(width: 64) }
    }

    @Test func `so do those of a group without a width`() async {
      await #expect(processExitsWith: .success) { await Self.meet(width: .max) }
    }

    private static func meet(width: Int) async {
      await inThread {
        let (crowd, pool, hasEnded) = (Crowd(), Gate(), Gate())
        blockPool(until: pool)
        let run = Flow().forEach(in: 0..<640, width: width) { index, _ in
          if index < 64 { crowd.pass() }
        }.add("last") { _ in hasEnded.open() }.start()
        crowd.reach(64)
        crowd.gate.open()
        hasEnded.pass()
        withExtendedLifetime(run) { pool.open() }
      }
    }

    @Test func `flows that are waited for inside a step of another go 50 deep`() async {
      await #expect(processExitsWith: .success) {
        await inThread {
          @Sendable func nest(_ depth: Int) {
            guard depth > 0 else { return }
            let hasEnded = Gate()
            let run = Flow().step {
              nest(depth - 1)
              $0.finishSuccessfully()
            }.add("last") { _ in hasEnded.open() }.start()
            hasEnded.pass()
            withExtendedLifetime(run) {}
          }
          let pool = Gate()
          Self.blockPool(until: pool)
          nest(50)
          pool.open()
        }
      }
    }

    @Test func `operations that waited for others, and then block, hold up nothing`() async {
      await #expect(processExitsWith: .success) {
        await inThread {
          let (crowd, pool) = (Crowd(), Gate())
          Self.blockPool(until: pool)
          let dependency = BlockOp()
          let runs = (0..<40).map { _ in
            let operation = BlockOp {
              crowd.pass()
              $0.finishSuccessfully()
            }
            operation.addDependency(dependency)
            return Flow().add(operation).start()
          }
          dependency.start()
          crowd.reach(40)
          #expect(runs.allSatisfy { $0.currentOutcome == nil })
          crowd.gate.open()
          pool.open()
        }
      }
    }

    @Test func `threads that were added for blocked ones are given back`() async {
      await #expect(processExitsWith: .success) {
        let before = ProcessWatch.threadCount ?? 0
        let crowd = Crowd()
        let run = Flow().forEach(in: 0..<64, width: 64) { _, _ in crowd.pass() }.start()
        await inThread { crowd.reach(64) }
        #expect((ProcessWatch.threadCount ?? 0) >= 64)
        crowd.gate.open()
        #expect(await run.outcome.isSuccess)
        await ProcessWatch.fallsToThreadCount(before + 2 * ProcessWatch.coreCount)
      }
    }
  }
#endif
