import Foundation
import TestSupport
import Testing

@testable import OperationFlow

#if os(Linux) || os(macOS)
  /// Tests that a waiting flow does nothing at all, in processes of their own without other work.
  @Suite(.heavy) struct IdleTests {
    /// Waiting flows, many of each kind, so that even a little work of one of them adds up.
    private struct Idlers {
      let calls = Tally()
      let mayEnd = Signal()
      private(set) var runs: [FlowRun] = []
      private var streams: [AsyncStream<Int>.Continuation] = []
      private let subscribers = Locked([Task<Void, Never>]())

      init(countOfEach count: Int) async {
        let (calls, mayEnd, held) = (calls, mayEnd, Journal<BlockOp>())
        for _ in 0..<count {
          let (stream, items) = AsyncStream.makeStream(of: Int.self)
          streams.append(items)
          runs.append(
            observed().forEach(in: stream, width: 2) { _, _ in calls.add() }.start())
          runs.append(
            observed().step {
              $0.startWithAsynchronous()
              held.append($0)
              calls.add()
            }.start())
          let task = observed().add("task") { _ in await calls.add(thenAwait: mayEnd) }.add("next") { _ in calls.add() }
            .start()
          let subscriber = Task { for await _ in task.events { calls.add() } }
          subscribers.withLock { $0.append(subscriber) }
          runs.append(task)
          let paused = observed().add("paused") { _ in await mayEnd.wait() }.add("next") { _ in calls.add() }.start()
          paused.pause()
          runs.append(paused)
        }
      }

      private func observed() -> Flow { Flow().observe { [calls] _ in calls.add() } }

      func cancel() async {
        for run in runs { run.cancel() }
        mayEnd.fire()
        for run in runs { _ = await run.outcome }
        for subscriber in subscribers.withLock({ $0 }) { await subscriber.value }
      }
    }

    @Test func `flows that wait use no time of the processor`() async {
      await #expect(processExitsWith: .success) {
        let idlers = await Idlers(countOfEach: 300)
        #expect(await ProcessWatch.rests())
        #expect(idlers.runs.allSatisfy { $0.currentOutcome == nil })
        await idlers.cancel()
      }
    }

    @Test func `while another flow does 10,000 steps, nothing of flows that wait is called or recorded`() async {
      await #expect(processExitsWith: .success) {
        let idlers = await Idlers(countOfEach: 20)
        guard await ProcessWatch.rests() else { return fail("never rests") }
        let (calls, events) = (idlers.calls.count, idlers.runs.map { $0.recorder.log.events.count })
        let flow = Flow()
        for index in 0..<5_000 {
          flow.step()
          if index % 50 == 0 { flow.add("task") { _ in await Task.yield() } } else { flow.add("closure") { _ in } }
        }
        #expect(await flow.run().report.stepCount == 10_000)
        #expect(idlers.calls.count == calls)
        #expect(idlers.runs.map { $0.recorder.log.events.count } == events)
        await idlers.cancel()
      }
    }
  }
#endif
