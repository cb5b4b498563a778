import TestSupport
import Testing

@testable import OperationFlow

extension FlowKey where Value == [Int] {
  fileprivate static var out: Self { "out" }
}

@Suite(.watched) struct AsyncStreamTests {
  @Test func `items are run as they come, and the outputs are in their order`() async {
    let (stream, items) = AsyncStream.makeStream(of: Int.self)
    let seen = Journal<Int>()
    let (sawFirst, sawSecond) = (Signal(), Signal())
    let run = Flow().forEach(in: stream, into: .out, width: 2) { item, _ in
      seen.append(item)
      (item == 1 ? sawFirst : sawSecond).fire()
      return item * 10
    }.start()
    items.yield(1)
    await sawFirst.wait()
    #expect(seen.entries == [1])
    items.yield(2)
    await sawSecond.wait()
    #expect(run.currentOutcome == nil)
    items.finish()
    let outcome = await run.outcome
    #expect(outcome.report[.out] == [10, 20])
  }

  @Test func `a sequence that throws in the middle fails the flow, whatever is tolerated`() async {
    let (stream, items) = AsyncThrowingStream.makeStream(of: Int.self)
    let ended = Counter()
    items.yield(1)
    items.yield(2)
    items.finish(throwing: TestError(name: "stream"))
    let outcome = await Flow()
      .forEach(in: stream, into: .out, width: 2, tolerating: .all) { item, _ in
        ended.enter()
        return item
      }
      .add("next") { _ in fail("ran") }
      .run()
    #expect(outcome.error as? TestError == TestError(name: "stream"))
    #expect(ended.total == 2)
    #expect(outcome.report[.out] == nil)
    #expect(outcome.report.itemFailures.isEmpty)
    #expect(outcome.report.lines.contains("[forEach] DidFinish: withError: TestError(stream)"))
  }

  @Test func `a sequence that throws cancels the items that run`() async {
    let (stream, items) = AsyncThrowingStream.makeStream(of: Int.self)
    let isCancelled = Signal()
    items.yield(1)
    let outcome = await Flow()
      .forEach(in: stream, width: 2) { _, _ in
        items.finish(throwing: TestError(name: "stream"))
        await untilCancelled()
        isCancelled.fire()
      }
      .run()
    #expect(outcome.error as? TestError == TestError(name: "stream"))
    #expect(isCancelled.isOn)
  }

  @Test func `a cancel while an item is waited for ends the flow`() async {
    let (isFirst, isAsked, isTerminated) = (Locked(true), Signal(), Signal())
    let stream = AsyncStream<Int> {
      let wasFirst = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if wasFirst { return 1 }
      isAsked.fire()
      await untilCancelled()
      return nil
    } onCancel: {
      isTerminated.fire()
    }
    let hasRun = Signal()
    let run = Flow().forEach(in: stream, width: 3) { _, _ in hasRun.fire() }.add("next") { _ in fail("ran") }.start()
    await hasRun.wait()
    // Before that, nothing waits for an item, and the cancel would have nothing to end.
    await isAsked.wait()
    run.cancel()
    let outcome = await run.outcome
    #expect(outcome.isCancelled)
    await isTerminated.wait()
  }

  @Test func `an item that fails while another is waited for ends the flow`() async {
    let (stream, items) = AsyncStream.makeStream(of: Int.self)
    items.yield(1)
    let outcome = await Flow().forEach(in: stream, width: 3) { _, _ in throw TestError() }.run()
    #expect(outcome.error as? TestError == TestError())
    items.finish()
  }

  @Test func `an infinite sequence runs until it is cancelled`() async {
    let (count, hasBegun) = (Counter(), Signal())
    let run = Flow()
      .forEach(
        in: AsyncStream<Int> {
          await Task.yield()
          return 1
        }, width: 2
      ) { _, _ in
        count.enter()
        if count.total > 50 { hasBegun.fire() }
      }
      .start()
    await hasBegun.wait()
    run.cancel()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `cancelling at any moment of a stream ends it once`() async {
    for round in 0..<100 {
      let (stream, items) = AsyncStream.makeStream(of: Int.self)
      let run = Flow().forEach(in: stream, into: .out, width: 2) { item, _ in
        await Task.yield()
        return item
      }.start()
      for item in 0..<(round % 7) {
        items.yield(item)
        if item.isMultiple(of: 2) { await Task.yield() }
      }
      run.cancel()
      #expect(await run.outcome.isCancelled)
      #expect(await run.outcome.report.events.count { $0.kind == .cancelRequested } == 1)
    }
  }

  @Test func `no more is asked for than there is room to run`() async {
    let (asked, meeting, checked, mayEnd) = (Counter(), Meeting(size: 2), Tally(), Signal())
    let run = Flow()
      .forEach(
        in: AsyncStream<Int> {
          asked.enter()
          return asked.total <= 6 ? asked.total : nil
        }, into: .out, width: 2
      ) { item, _ in
        if item <= 2 {
          await meeting.attend()
          #expect(asked.total == 2)
          checked.add()
        }
        await mayEnd.wait()
        return item
      }
      .start()
    // Before that, an item that ends would make room for a third.
    await checked.reach(2)
    mayEnd.fire()
    #expect(await run.outcome.report[.out] == [1, 2, 3, 4, 5, 6])
    #expect(asked.total == 7)
  }

  @Test func `the width is never exceeded, and reached`() async {
    let meeting = Meeting(size: 3)
    let outcome = await Flow()
      .forEach(
        in: AsyncStream<Int> { continuation in
          for item in 0..<30 { continuation.yield(item) }
          continuation.finish()
        }, width: 3
      ) { _, _ in await meeting.attend() }
      .run()
    #expect(outcome.isSuccess)
    #expect(meeting.peak == 3)
  }

  @Test func `an empty asynchronous sequence leaves an empty array`() async {
    let outcome = await Flow().forEach(in: AsyncStream<Int> { $0.finish() }, into: .out) { item, _ in item }.run()
    #expect(outcome.report[.out] == [])
  }

  @Test func `an operation type runs over an asynchronous sequence`() async {
    let (stream, items) = AsyncStream.makeStream(of: Int.self)
    for item in 1...4 { items.yield(item) }
    items.finish()
    #expect(await Flow().forEach(in: stream, into: .out, run: DoubleOp.self).run().report[.out] == [2, 4, 6, 8])
  }
}
