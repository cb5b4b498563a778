import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == Int {
  fileprivate static var start: Self { "start" }
}

@Suite(.long) struct RunningTests {
  private var counting: Flow {
    Flow().add("count") { context in
      await Task.yield()
      context.update(.count, default: context[.start] ?? 0) { $0 += 1 }
    }
  }

  @Test func `data for one run stands over what the flow begins with`() async {
    let flow = counting.set(.start, to: 5)
    #expect(await flow.run().report[.count] == 6)
    #expect(await flow.run(with: ["start": 10, "other": true]).report[.count] == 11)
    let nothing: Int? = nil
    #expect(await flow.run(with: ["start": nothing]).report[.count] == 1)
    // The initial data of one run isn't there in the next.
    let last = await flow.run()
    #expect(last.report[.count] == 6)
    #expect(last.report.data["other"] == nil)
  }

  @Test func `a flow made of factories runs again, each run with its own bucket`() async {
    let flow = counting.add(SuccessOp()).add(SuccessOp.create()).forEach(in: 0..<3) { _, _ in }
    for _ in 0..<5 {
      let outcome = await flow.run()
      #expect(outcome.isSuccess && outcome.report[.count] == 1)
    }
  }

  @Test func `a thousand runs of one flow at once`() async {
    let flow = counting.add(LaterOp()).forEach(in: 0..<2, into: "out" as FlowKey<[Int]>) { item, _ in item }
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<1_000 {
        group.addTask {
          let outcome = await flow.run(with: ["start": index])
          #expect(outcome.isSuccess && outcome.report[.count] == index + 1)
          #expect(outcome.report["out" as FlowKey<[Int]>] == [0, 1])
          #expect(outcome.report.stepCount == 3)
        }
      }
    }
  }

  @Test func `runs that are at work together do not touch each other`() async {
    let meeting = Meeting(size: 2)
    let flow = Flow().add("meet") { _ in await meeting.attend() }.add("end") { context in
      if context["fails"] == true { throw TestError() }
    }
    let (good, bad) = (flow.start(), flow.start(with: ["fails": true]))
    #expect(await good.outcome.isSuccess)
    #expect(await bad.outcome.error as? TestError == TestError())
  }

  @Test func `cancelling the task that awaits a started run's outcome leaves the run alone`() async {
    let mayEnd = Signal()
    let run = Flow().add("waits") { _ in await mayEnd.wait() }.start()
    let task = Task { await run.outcome }
    task.cancel()
    mayEnd.fire()
    #expect(await task.value.isSuccess)
  }

  @Test func `cancelling a run leaves the flow's others alone`() async {
    let (begun, mayEnd) = (Meeting(size: 2), Signal())
    let flow = Flow().add("waits") { context in
      await begun.attend()
      await mayEnd.wait()
      try context.checkCancellation()
    }
    let (first, second) = (flow.start(), flow.start())
    await begun.reach(2)
    first.cancel()
    mayEnd.fire()
    #expect(await first.outcome.isCancelled)
    #expect(await second.outcome.isSuccess)
  }

  @Test func `a step that is added while a run is under way is for the next one`() async {
    let mayEnd = Signal()
    let flow = Flow().add("waits") { _ in await mayEnd.wait() }
    let run = flow.start()
    flow.add("added") { context in context[.count] = 1 }
    mayEnd.fire()
    #expect(await run.outcome.report[.count] == nil)
    #expect(await flow.run().report[.count] == 1)
  }
}
