import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Numbers, made when they are asked for, that know how many of them are alive.
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

@Suite(.watched) struct StreamTests {
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
    // More may be on their way out of threads that had them: lanes and tasks each have one for every processor.
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
    // The first needs no asking.
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
    #expect(outcome.isSuccess)
    #expect(alive.total == count)
    #expect(alive.peak <= 8)
    #expect(alive.now == 0)
  }

  @Test func `the sequence is made anew for each run, and not before it is reached`() async {
    let made = Counter()
    let flow = Flow()
      .forEach(
        in: {
          made.enter()
          return 0..<3
        }(), into: "out" as FlowKey<[Int]>
      ) { item, _ in item * 2 }
    #expect(flow.findings == [])
    #expect(made.total == 0)
    #expect(await flow.run().report["out" as FlowKey<[Int]>] == [0, 2, 4])
    #expect(await flow.run().report["out" as FlowKey<[Int]>] == [0, 2, 4])
    #expect(made.total == 2)
  }

  @Test func `an infinite sequence runs until an item fails`() async {
    let outcome = await Flow()
      .forEach(in: sequence(first: 0) { $0 + 1 }, into: "out" as FlowKey<[Int]>, width: 1) { item, _ in
        if item == 10 { throw TestError() }
        return item
      }
      .run()
    #expect(outcome.error as? TestError == TestError())
    #expect(outcome.report.started.count == 11)
  }

  @Test func `an infinite sequence runs until it is cancelled`() async {
    let (isSet, handle) = (Signal(), Locked<FlowRun?>(nil))
    let run = Flow().add("set") { _ in await isSet.wait() }
      .forEach(in: sequence(first: 0) { $0 + 1 }, width: 2) { item, _ in
        // From inside: a loop that never waits may leave no thread to a test that does.
        if item == 20 { handle.withLock { $0 }?.cancel() }
      }
      .start()
    handle.withLock { $0 = run }
    isSet.fire()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `the outputs are in the order of the sequence`() async {
    let isLastDone = Signal()
    let outcome = await Flow()
      .forEach(in: (0..<3).lazy.map { "\($0)" }, into: "out" as FlowKey<[String]>, width: 3) { item, _ in
        if item == "2" { isLastDone.fire() } else { await isLastDone.wait() }
        return item
      }
      .run()
    #expect(outcome.report["out" as FlowKey<[String]>] == ["0", "1", "2"])
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
    #expect(outcome.isSuccess)
    #expect(asking.peak == 1)
    #expect(asking.total == 2_001)
  }

  @Test func `an operation type runs over a sequence`() async {
    let outcome = await Flow()
      .forEach(in: (1...5).lazy.filter { $0 != 3 }, into: "out" as FlowKey<[Int]>, run: DoubleOp.self).run()
    #expect(outcome.report["out" as FlowKey<[Int]>] == [2, 4, 8, 10])
  }
}
