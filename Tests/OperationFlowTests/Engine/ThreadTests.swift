import Foundation
import OperationFlow
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Waiting work occupies no thread, and uses no processor time.
  ///
  /// Each test has a process of its own, because it counts threads.
  @Suite(.heavy) struct ThreadTests {
    /// Waits in its `run()`.
    final class WaitingOp: FlowOperation, @unchecked Sendable {
      private let wait: @Sendable () async -> Void
      init(_ wait: @escaping @Sendable () async -> Void) { self.wait = wait }
      override func run() async throws { await wait() }
    }

    @Test func `10,000 flows that wait hold no thread`() async {
      await #expect(processExitsWith: .success) {
        let count = 10_000
        let (marks, waiting, mayEnd, held) = (ThreadMarks(), Tally(), Signal(), Journal<BlockOp>())
        let wait = { @Sendable in
          marks.mark()
          await waiting.add(thenAwait: mayEnd)
        }
        let start = { @Sendable (index: Int) -> FlowRun in
          switch index % 3 {
          case 0:
            Flow().step {
              $0.startWithAsynchronous()
              held.append($0)
              marks.mark()
              waiting.add()
            }.start()
          case 1: Flow().add(WaitingOp(wait)).start()
          default: Flow().add("task") { _ in await wait() }.start()
          }
        }
        // The first runs make the pools' threads.
        var runs = (0..<100).map(start)
        await waiting.reach(runs.count)
        let threadCount = ProcessWatch.threadCount
        runs += (runs.count..<count).map(start)
        await waiting.reach(count)
        #expect(runs.allSatisfy { $0.currentOutcome == nil })
        // A busy machine makes the pools add a few threads, which end when they were idle for a while.
        if let threadCount { await ProcessWatch.fallsToThreadCount(threadCount + ProcessWatch.coreCount) }
        #expect(marks.count < count / 100)
        mayEnd.fire()
        for operation in held.entries { operation.finishSuccessfully() }
        for run in runs { #expect(await run.outcome.isSuccess) }
      }
    }

    @Test func `flows that wait leave the pools to the one that they wait for`() async {
      await #expect(processExitsWith: .success) {
        let (waiting, mayEnd, held) = (Tally(), Signal(), Journal<BlockOp>())
        let runs = (0..<ProcessWatch.coreCount * 100).map { index in
          Flow().step {
            $0.startWithAsynchronous()
            held.append($0)
            waiting.add()
          }
          .start()
        }
        let others = runs.indices.map { _ in
          Flow().forEach(in: 0..<3, width: 1) { _, _ in await waiting.add(thenAwait: mayEnd) }.start()
        }
        await waiting.reach(2 * runs.count)
        let last = Flow().step().add("task") { _ in await Task.yield() }.add("ends all") { _ in
          mayEnd.fire()
          for operation in held.entries { operation.finishSuccessfully() }
        }.start()
        for run in [last] + runs + others { #expect(await run.outcome.isSuccess) }
      }
    }

    @Test func `operations that block their threads do not stop another flow`() async {
      await #expect(processExitsWith: .success) {
        let (blocked, gate) = (Tally(), Gate())
        // One more than there are cores: the system may need a second for each thread that it adds.
        let runs = (0..<ProcessWatch.coreCount + 1).map { _ in
          Flow().step {
            blocked.add()
            gate.pass()
            $0.finishSuccessfully()
          }.start()
        }
        await blocked.reach(1)
        let other = Flow().step().add("task") { _ in await Task.yield() }.forEach(in: 0..<10) { _, _ in }.start()
        #expect(await other.outcome.isSuccess)
        #expect(runs.allSatisfy { $0.currentOutcome == nil })
        gate.open()
        for run in runs { #expect(await run.outcome.isSuccess) }
      }
    }
  }
#endif
