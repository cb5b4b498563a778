import TestSupport
import Testing

@testable import OperationFlow

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

  @Test(arguments: [true, false]) func `what a closure throws is the flow's error`(isAsync: Bool) async {
    let flow = Flow()
    if isAsync {
      flow.add("fails") { _ in
        await Task.yield()
        throw TestError()
      }
    } else {
      flow.add("fails") { _ in throw TestError() }
    }
    let outcome = await flow.add("next") { _ in fail("ran") }.run()
    #expect(outcome.error as? TestError == TestError())
    #expect(outcome.report.lines.contains("[fails] DidFinish: withError: TestError(test)"))
    #expect(outcome.report.started == ["[fails]"])
  }

  @Test(arguments: [true, false]) func `a cancellation error that is thrown ends it as cancelled`(isAsync: Bool) async {
    let flow = Flow()
    if isAsync {
      flow.add("stops") { _ in
        await Task.yield()
        throw CancellationError()
      }
    } else {
      flow.add("stops") { _ in throw CancellationError() }
    }
    let outcome = await flow.run()
    #expect(outcome.isCancelled)
    #expect(outcome.report.lines.contains("[stops] DidFinish: cancelled"))
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
    #expect(outcome.isCancelled)
    #expect(outcome.report.lines.contains("[works] DidFinish: cancelled"))
  }

  @Test func `an asynchronous closure's task is cancelled, and the flow ends when it has returned`() async {
    let (hasBegun, mayReturn, sawCancel) = (Signal(), Signal(), Signal())
    let run = Flow()
      .add("works") { context in
        hasBegun.fire()
        await untilCancelled()
        #expect(context.isCancelled && Task.isCancelled)
        sawCancel.fire()
        await mayReturn.wait()
        throw TestError()
      }
      .start()
    await hasBegun.wait()
    run.cancel()
    await sawCancel.wait()
    #expect(run.currentOutcome == nil)
    mayReturn.fire()
    let outcome = await run.outcome
    #expect(outcome.isCancelled)
    #expect(outcome.report.lines.contains("[works] DidFinish: cancelled"))
  }

  @Test func `a closure of a group knows that another item has failed`() async {
    let hasBegun = Signal()
    let outcome = await Flow()
      .forEach(in: 0..<2, width: 2) { index, context in
        if index == 0 {
          hasBegun.fire()
          await untilCancelled()
          #expect(context.isCancelled)
          try context.checkCancellation()
        } else {
          await hasBegun.wait()
          throw TestError()
        }
      }
      .run()
    #expect(outcome.error as? TestError == TestError())
    #expect(outcome.report.lines.contains("[forEach #0] DidFinish: cancelled"))
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

  @Test func `a closure is the first step of a branch if it has a case`() async {
    let flow = Flow().set("target", to: "B")
      .add("a", flowCase: FlowCase(key: "target", value: "A")) { _ in fail("ran") }
      .add("b", flowCase: FlowCase(key: "target", value: "B")) { _ in await Task.yield() }
      .combine()
      .add("end") { _ in }
    #expect(await flow.run().report.started == ["[b]", "[end]"])
  }
}
