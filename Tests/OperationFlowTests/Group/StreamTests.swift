import Foundation
import OperationFlow
import TestSupport
import Testing

/// Numbers that are made on request, and count how many of them are alive.
private struct LazyNumbers: Sequence, IteratorProtocol, Sendable {
  final class Item: Sendable {
    let number: Int
    private let alive: Counter
    init(_ number: Int, _ alive: Counter) {
      self.number = number
      self.alive = alive
      alive.enter()
    }
    deinit { alive.leave() }
  }

  let count: Int
  let alive: Counter
  var position = 0

  mutating func next() -> Item? {
    guard position < count else { return nil }
    defer { position += 1 }
    return Item(position, alive)
  }
}

/// Numbers from an iterator that stores them in a buffer, and counts how often that had to be copied.
private struct StoredNumbers: AsyncSequence, AsyncIteratorProtocol, Sendable {
  private final class Storage: @unchecked Sendable {
    // Invariant: only the one iterator that has the storage changes it.
    var numbers: [Int]
    init(_ numbers: [Int]) { self.numbers = numbers }
  }

  private var storage: Storage
  private let copies: Counter

  init(_ numbers: [Int], copies: Counter) {
    storage = Storage(numbers)
    self.copies = copies
  }

  mutating func next() -> Int? {
    if !isKnownUniquelyReferenced(&storage) {
      copies.enter()
      storage = Storage(storage.numbers)
    }
    return storage.numbers.popLast()
  }

  func makeAsyncIterator() -> StoredNumbers { self }
}

/// A sequence of one element, which then waits until its task is cancelled, and ends as such sequences do.
private struct CutShort: AsyncSequence, AsyncIteratorProtocol, Sendable {
  let waits: Signal
  var count = 0

  mutating func next() async -> Int? {
    count += 1
    if count == 1 { return count }
    waits.fire()
    await untilCancelled()
    return nil
  }

  func makeAsyncIterator() -> CutShort { self }
}

@Suite(.watched) struct StreamTests {
  @Test func `a sequence that ends because the run does has no known number of items`() async {
    let full = TestError(name: "full")
    // Each sequence has a signal of its own, so that its item fails only once the sequence waits.
    let (first, second, third) = (Signal(), Signal(), Signal())
    let fail = { @Sendable (_ waits: Signal) async throws in
      await waits.wait()
      throw full
    }
    let handing = Flow().forEach(
      in: CutShort(waits: first), width: 2,
      .onEachResult(in: .input) { (_: FlowItemResult<Int>, _, _) in try await fail(first) }
    ) { number, _ in number }
    let failing = Flow().forEach(in: CutShort(waits: second), width: 2) { _, _ async throws in try await fail(second) }
    let beside = Flow().parallel {
      $0.branch("items") { $0.forEach(in: CutShort(waits: third)) { _, _ in } }
      $0.branch("fails") { $0.add("fails") { _ async throws in try await fail(third) } }
    }
    for flow in [handing, failing, beside] {
      let outcome = await flow.run()
      let items = outcome.report.steps.lazy.compactMap(\.items).first
      #expect(outcome.error as? TestError == full && items != nil && items?.total == nil && items?.neverStarted == nil)
      #expect(!outcome.report.summary.contains("of 1 succeeded"))
    }
    let isWaiting = Signal()
    let run = Flow().forEach(in: CutShort(waits: isWaiting)) { _, _ in }.start()
    let cancelled = await run.outcome(cancelledAfter: isWaiting)
    #expect(cancelled.isCancelled && cancelled.report.steps.first?.items?.total == nil)
  }

  @Test(arguments: [1, 3, 8]) func `no more items are there at once than the width`(width: Int) async {
    let (alive, sum) = (Counter(), Locked(0))
    let outcome = await Flow()
      .forEach(in: LazyNumbers(count: 500, alive: alive), width: width) { item, _ in
        if item.number.isMultiple(of: 3) { await Task.yield() }
        sum.withLock { $0 += item.number }
      }
      .run()
    #expect(outcome.isSuccess)
    #expect(sum.withLock { $0 } == 499 * 250)
    #expect(alive.total == 500)
    // Threads that had an item may still release it: lanes and tasks each have one thread for every processor.
    #expect(alive.peak <= width + 2 * ProcessInfo.processInfo.activeProcessorCount)
  }

  @Test func `nothing is asked for ahead of the items that run`() async {
    let (asked, begun, mayEnd) = (Counter(), Meeting(size: 3), Signal())
    let run = Flow()
      .forEach(
        in: sequence(first: 0) { number in
          asked.enter()
          return number + 1
        }, width: 3
      ) { _, _ in
        await begun.attend()
        await mayEnd.wait()
        throw TestError()
      }
      .start()
    await begun.reach(3)
    // The first element needs no call of the closure.
    #expect(asked.total <= 3)
    mayEnd.fire()
    let outcome = await run.outcome
    #expect(outcome.error as? TestError == TestError())
    #expect(asked.total <= 3)
  }

  @Test func `a long sequence is run in the memory of a few items`() async {
    let (alive, count) = (Counter(), TestSettings.longCount)
    let outcome = await Flow()
      .forEach(in: LazyNumbers(count: count, alive: alive), width: 4) { item, _ in item.number }
      .run()
    #expect(outcome.isSuccess && alive.total == count)
    #expect(alive.peak <= 8)
    // The threads that had the last items may still release them.
    while alive.now > 0 { await Task.yield() }
  }

  @Test func `the sequence is made anew for each run, and not before it is reached`() async {
    let made = Counter()
    let flow = Flow()
      .forEach(
        in: {
          made.enter()
          return 0..<3
        }(), into: .out
      ) { item, _ in item * 2 }
    #expect(flow.findings == [])
    #expect(made.total == 0)
    #expect(await flow.run().report[.out] == [0, 2, 4])
    #expect(await flow.run().report[.out] == [0, 2, 4])
    #expect(made.total == 2)
  }

  @Test func `the sequence is never asked by two threads at once`() async {
    struct Exclusive: Sequence, IteratorProtocol, Sendable {
      let asking: Counter
      var left = 2_000
      mutating func next() -> Int? {
        asking.enter()
        defer { asking.leave() }
        left -= 1
        return left < 0 ? nil : left
      }
    }
    let asking = Counter()
    let outcome = await Flow().forEach(in: Exclusive(asking: asking), width: 8) { _, _ in }.run()
    #expect(outcome.isSuccess && asking.peak == 1)
    #expect(asking.total == 2_001)
  }

  @Test(arguments: [true, false]) func `an infinite sequence runs until it is cancelled`(isAsync: Bool) async {
    let (isSet, handle) = (Signal(), Locked<FlowRun?>(nil))
    let flow = Flow().add("set") { _ in await isSet.wait() }
    let cancel: @Sendable (Int, FlowContext) -> Void = { item, _ in
      // Cancels from inside: a loop that never waits may leave no thread to a test that does.
      if item == 20 { handle.withLock { $0 }?.cancel() }
    }
    if isAsync {
      let counter = Counter()
      let endless = AsyncStream<Int> {
        await Task.yield()
        counter.enter()
        return counter.total
      }
      flow.forEach(in: endless, width: 2, run: cancel)
    } else {
      flow.forEach(in: sequence(first: 0) { $0 + 1 }, width: 2, run: cancel)
    }
    let run = flow.start()
    handle.withLock { $0 = run }
    isSet.fire()
    #expect(await run.outcome.isCancelled)
  }

  // MARK: Asynchronous sequences

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

  @Test func `what an iterator stores isn't copied for each item`() async {
    let copies = Counter()
    let outcome = await Flow()
      .forEach(in: StoredNumbers(Array(0..<100), copies: copies), into: .out, width: 2) { item, _ in item }
      .run()
    #expect(outcome.report[.out] == Array((0..<100).reversed()))
    // The sequence from which the iterator was made also had the buffer, so the first change copies it.
    #expect(copies.total <= 1)
  }

  @Test func `a sequence that throws in the middle fails the flow, whatever is tolerated`() async {
    let (stream, items) = AsyncThrowingStream.makeStream(of: Int.self)
    let (ended, meeting) = (Counter(), Meeting(size: 2))
    items.yield(1)
    items.yield(2)
    items.finish(throwing: TestError(name: "stream"))
    let outcome = await Flow()
      .forEach(in: stream, into: .out, width: 2, tolerating: .all) { item, _ in
        // Otherwise the second item might not have begun when the end of the first one lets the sequence throw.
        await meeting.attend()
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
      await isAsked.fireUntilCancelled()
      return nil
    } onCancel: {
      isTerminated.fire()
    }
    let hasRun = Signal()
    let run = Flow().forEach(in: stream, width: 3) { _, _ in hasRun.fire() }.add("next") { _ in fail("ran") }.start()
    await hasRun.wait()
    // Before that signal, nothing waits for an item, and the cancellation would have nothing to end.
    let outcome = await run.outcome(cancelledAfter: isAsked)
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
    // Before that, the end of an item would let a third one begin.
    await checked.reach(2)
    mayEnd.fire()
    #expect(await run.outcome.report[.out] == [1, 2, 3, 4, 5, 6])
    #expect(asked.total == 7)
  }

  @Test func `a group that fails while it waits for its next item has failed, and isn't cancelled`() async {
    let (asked, isWaiting) = (Counter(), Signal())
    let numbers = AsyncThrowingStream<Int, any Error> {
      asked.enter()
      if asked.total == 1 { return 0 }
      isWaiting.fire()
      // The wait ends with the group, which cancels it.
      await untilCancelled()
      throw CancellationError()
    }
    let outcome = await Flow().forEach(in: numbers, width: 2, .named("group")) { (_: Int, _) async throws in
      await isWaiting.wait()
      throw TestError()
    }
    .run()
    #expect(outcome.report.steps[0].end == .failed)
    #expect(outcome.report.failure?.name == "[group #1]")
    #expect(!outcome.report.events.contains { $0.kind == .finished(.cancelled) })
  }
}
