import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct ClosureTests {
  @Test func `synchronous and asynchronous closures run in order, under their names`() async {
    let outcome = await Flow()
      .add("first") { context in context["a"] = 1 }
      .add("second") { context in
        await Task.yield()
        context.update("a", default: 0) { $0 += 1 }
      }
      .add("third") { context in context.log("a is \(context["a" as FlowKey<Int>] ?? 0)", level: .debug) }
      .run()
    #expect(
      outcome.report.lines.dropFirst().dropLast() == [
        "[first] WillStart", "[DataBucket] add for a: 1", "[first] DidFinish: successfully", "[second] WillStart",
        "[DataBucket] replace for a: 1 -> 2", "[second] DidFinish: successfully", "[third] WillStart", "[third] a is 2",
        "[third] DidFinish: successfully",
      ])
    #expect(outcome.report.events.contains { $0.kind == .logged("a is 2", .debug) })
  }

  @Test(arguments: [true, false], [true, false])
  func `what a closure throws is the flow's error, and a cancellation error ends it as cancelled`(
    isAsync: Bool, isCancelled: Bool
  ) async {
    let error: any Error = isCancelled ? CancellationError() : TestError()
    let flow = Flow()
    if isAsync {
      flow.add("fails") { _ in
        await Task.yield()
        throw error
      }
    } else {
      flow.add("fails") { _ in throw error }
    }
    let outcome = await flow.add("next") { _ in fail("ran") }.run()
    #expect(isCancelled ? outcome.isCancelled : outcome.error as? TestError == TestError())
    let end = isCancelled ? "cancelled" : "withError: TestError(test)"
    #expect(outcome.report.lines.contains("[fails] DidFinish: \(end)") && outcome.report.started == ["[fails]"])
  }

  @Test func `a synchronous closure knows when it should stop`() async {
    let (hasBegun, isCancelled) = (Signal(), Gate())
    let run = Flow()
      .add("works") { context in
        #expect(!context.isCancelled)
        try context.checkCancellation()
        hasBegun.fire()
        isCancelled.pass()
        #expect(context.isCancelled)
        try context.checkCancellation()
        fail("went on")
      }
      .add("next") { _ in fail("ran") }
      .start()
    await hasBegun.wait()
    run.cancel()
    #expect(run.currentOutcome == nil)
    isCancelled.open()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && outcome.report.lines.contains("[works] DidFinish: cancelled"))
  }

  @Test func `an asynchronous closure's task is cancelled, and the flow ends when it has returned`() async {
    let (hasBegun, mayReturn, sawCancel) = (Signal(), Signal(), Signal())
    let run = Flow()
      .add("works") { context in
        await hasBegun.fireUntilCancelled()
        #expect(context.isCancelled && Task.isCancelled)
        await sawCancel.fire(thenAwait: mayReturn)
        throw TestError()
      }
      .start()
    await hasBegun.wait()
    run.cancel()
    await sawCancel.wait()
    #expect(run.currentOutcome == nil)
    mayReturn.fire()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && outcome.report.lines.contains("[works] DidFinish: cancelled"))
  }

  @Test func `a context says which item it belongs to`() async {
    let outcome = await Flow()
      .add("step") { context in #expect(context.index == nil) }
      .forEach(in: ["a", "b", "c"], into: "indices" as FlowKey<[Int]>) { _, context in context.index ?? -1 }
      .run()
    #expect(outcome.report["indices" as FlowKey<[Int]>] == [0, 1, 2])
  }

  @Test func `a context that is kept past the end does no harm`() async {
    let kept = Locked<FlowContext?>(nil)
    let outcome = await Flow().add("keep") { context in kept.withLock { $0 = context } }.run()
    guard let context = kept.withLock({ $0 }) else { return fail("nothing kept") }
    context.log("late")
    context["late"] = 1
    context.reportProgress(0.5)
    #expect(outcome.report.data.isEmpty)
    #expect(!outcome.report.summary.contains("late"))
  }
}
