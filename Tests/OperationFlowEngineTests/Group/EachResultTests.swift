import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

/// The results that a group has delivered, in the order of their delivery.
final class Handed: Sendable {
  private let journal = Journal<String>()
  let counter = Counter()

  var entries: [String] { journal.entries }

  func take<Output>(_ result: FlowItemResult<Output>, _ index: Int) {
    journal.append("\(index) \(result.recordDescription)")
  }
}

@Suite(.watched) struct EachResultTests {
  @Sendable private static func even(_ number: Int, _ context: FlowContext) throws -> Int {
    if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
    return number * 10
  }

  @Test func `results come as the items end, or in the order of the items`() async {
    for order in [FlowResultOrder.completion, .input] {
      let (handed, second) = (Handed(), Signal())
      let outcome = await Flow().forEach(
        in: 0..<2, width: 2,
        .onEachResult(in: order) { result, index, _ in handed.take(result, index) }
      ) { number, context in
        // The second item ends first.
        if number == 0 { await second.wait() } else { context.log("ends") }
        return number
      }.observed { if $0.kind == .finished(.successfully), $0.source.item == 1 { second.fire() } }.run()
      let inOrder = ["0 succeeded(0)", "1 succeeded(1)"]
      #expect(outcome.isSuccess && handed.entries == (order == .input ? inOrder : inOrder.reversed()))
    }
  }

  @Test func `one is handed on at a time, and no more items are ahead than the group is wide`() async {
    for order in [FlowResultOrder.completion, .input] {
      let (atOnce, ahead) = (Counter(), Counter())
      let outcome = await Flow().forEach(
        in: 0..<200, width: 4,
        .onEachResult(in: order) { _, _, _ in
          atOnce.enter()
          await Task.yield()
          atOnce.leave()
          ahead.leave()
        }
      ) { number, _ in
        ahead.enter()
        if number.isMultiple(of: 3) { await Task.yield() }
      }.run()
      #expect(outcome.isSuccess && atOnce.peak == 1 && atOnce.total == 200 && ahead.peak <= 4 && ahead.now == 0)
    }
  }

  @Test func `the group ends after the last call has returned`() async {
    let (isHanding, mayReturn) = (Signal(), Signal())
    let run = Flow().forEach(
      in: 0..<1,
      .onEachResult { _, _, _ in
        await isHanding.fire(thenAwait: mayReturn)
      }
    ) { _, _ in }.add("next") { $0.log("next") }.start()
    await isHanding.wait()
    // Another lane may not have found out yet that no item is left.
    while run.waitingFor.contains(where: { $0.reason == .nextItem }) { await Task.yield() }
    #expect(run.waitingFor.map(\.source.description) == ["[forEach #1]"] && run.waitingFor.first?.reason == .result)
    mayReturn.fire()
    #expect(await run.outcome.report.events.contains { $0.kind == .logged("next", .info) })
  }

  @Test func `outputs are freed when they have been handed on`() async {
    let (alive, freed) = (Counter(), Tally())
    let outcome = await Flow().forEach(
      in: 0..<2_000, width: 3, .onEachResult { result, _, _ in result.output?.touch() }
    ) { _, _ in
      alive.enter()
      return Token {
        alive.leave()
        freed.add()
      }
    }.run()
    // The task that delivered the last outputs may free them a little later.
    await freed.reach(2_000)
    #expect(outcome.isSuccess && alive.total == 2_000)
    #expect(alive.peak <= 20, "\(alive.peak)")
  }

  @Test func `an error of the closure fails the group, whatever it tolerates`() async throws {
    let outcome = await Flow().set(.numbers, to: [0, 1, 2])
      .forEach(
        .numbers, into: .outputs, width: 1, tolerating: .all,
        .onEachResult { _, index, _ in if index == 1 { throw TestError(name: "own") } }, run: Self.even
      ).run()
    #expect(outcome.error as? TestError == TestError(name: "own") && outcome.report[.outputs] == nil)
    #expect(outcome.report.started.count == 2)
    let failure = try #require(outcome.failure)
    #expect(failure.name == "[numbers]" && failure.item == 1)
    #expect(outcome.report.steps.first?.end == .failed && outcome.report.itemFailures.count == 1)
    #expect(
      outcome.report.events.contains { $0.source.item == nil && $0.kind == .finished(.withError("TestError(own)")) })
  }

  @Test func `an error of the library says whose it is`() async throws {
    let key: FlowKey<Int> = "missing"
    let outcome = await Flow("Named")
      .forEach(in: 0..<1, .onEachResult { _, _, context in _ = try context.require(key) }) { _, _ in }.run()
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .missingData && error.flow == "Named" && error.step == "[forEach]" && error.key == "missing")
  }

  @Test func `a closure that is cancelled by itself cancels the run`() async {
    let outcome = await Flow().forEach(in: 0..<3, .onEachResult { _, _, _ in throw CancellationError() }) { _, _ in }
      .run()
    #expect(outcome.isCancelled)
  }

  @Test func `what has ended is handed on after a failure, and only that`() async {
    let (handed, isRunning) = (Handed(), Signal())
    let outcome = await Flow().forEach(
      in: 0..<9, width: 2,
      .onEachResult(in: .input) { (result: FlowItemResult<Int>, index, context) in
        handed.take(result, index)
        #expect(context.isCancelled == Task.isCancelled)
      }
    ) { number, context in
      if number == 0 {
        await isRunning.fireUntilCancelled()
        try context.checkCancellation()
      }
      await isRunning.wait()
      return try Self.even(number, context)
    }.run()
    #expect(outcome.error as? TestError == TestError(name: "1"))
    #expect(handed.entries == ["0 cancelled", "1 failed(TestError(1))"])
  }

  @Test func `an item that was to be tried again holds up nothing when the run is cancelled`() async {
    let (handed, clock) = (Handed(), ManualClock())
    let run = Flow().forEach(
      in: 0..<3, width: 3, .retry(.attempts(2, delay: .seconds(9))),
      .onEachResult(in: .input) { result, index, _ in handed.take(result, index) }
    ) { number, _ in
      if number == 1 { throw TestError() }
      return number
    }.clock(clock).start()
    var ended = 0
    for await event in run.events where event.kind == .finished(.successfully) || event.isRetried {
      ended += 1
      if ended == 3 { break }
    }
    run.cancel()
    #expect(await run.outcome.isCancelled)
    #expect(handed.entries == ["0 succeeded(0)", "1 cancelled", "2 succeeded(2)"])
  }

  @Test func `a closure that waits is cancelled with its run, and the others are called all the same`() async {
    let (handed, isHanding) = (Handed(), Signal())
    let run = Flow().set(.numbers, to: [0, 1]).forEach(
      .numbers, width: 2,
      .onEachResult { result, index, _ in
        handed.take(result, index)
        await isHanding.fireUntilCancelled()
        throw TestError(name: "late")
      }
    ) { number, _ in number }.start()
    var ended = 0
    for await event in run.events where event.kind == .finished(.successfully) && event.source.item != nil {
      ended += 1
      if ended == 2 { break }
    }
    let outcome = await run.outcome(cancelledAfter: isHanding)
    #expect(outcome.isCancelled && handed.entries.sorted() == ["0 succeeded(0)", "1 succeeded(1)"])
  }

  @Test func `an abandoned item is handed on as failed, once`() async {
    let (handed, mayEnd, clock) = (Handed(), Signal(), ManualClock())
    let run = Flow().forEach(
      in: 0..<1, tolerating: .all, .timeout(.seconds(1), abandoningAfter: .seconds(1)),
      .onEachResult { result, index, _ in handed.take(result, index) }
    ) { number, _ in
      await mayEnd.wait()
      return number
    }.add("next") { _ in mayEnd.fire() }.clock(clock).start()
    for await event in run.events where event.kind == .started { break }
    while run.currentOutcome == nil {
      await clock.advance(by: .seconds(1))
      await Task.yield()
    }
    #expect(await run.outcome.isSuccess && handed.entries == ["0 failed(timedOut)"])
  }

  @Test func `a permit is given back before the result is handed on`() async {
    let (limiter, handed) = (FlowLimiter(atMost: 1), Handed())
    let outcome = await Flow().forEach(
      in: 0..<5, width: 2, .limited(by: limiter),
      .onEachResult { result, index, _ in try await limiter.withPermit { handed.take(result, index) } }
    ) { number, _ in number }.run()
    #expect(outcome.isSuccess && handed.entries.count == 5 && limiter.isIdle)
  }

  @Test func `a group in a parallel branch that fails beside it ends after what it hands on`() async {
    let (handed, isHanding) = (Handed(), Signal())
    let outcome = await Flow().parallel {
      $0.branch("group") {
        $0.forEach(
          in: 0..<4, width: 2,
          .onEachResult { result, index, _ in
            handed.take(result, index)
            await isHanding.fireUntilCancelled()
          }
        ) { number, _ in number }
      }
      $0.branch("other") {
        $0.add("fail") { _ async throws in
          await isHanding.wait()
          throw TestError()
        }
      }
    }.run()
    #expect(outcome.error is TestError && Set(handed.entries).count == handed.entries.count)
  }

  @Test func `an item that is handed on is undone once, and one that has failed isn't`() async {
    let (handed, undone) = (Handed(), Journal<Int>())
    let outcome = await Flow().forEach(
      in: 0..<4, width: 2, tolerating: .all, .onEachResult { result, index, _ in handed.take(result, index) },
      .undo { context in
        // The undos run after the last result is delivered.
        if handed.entries.count == 4, let index = context.index { undone.append(index) }
      }, run: Self.even
    ).add("fail") { _ in throw TestError(name: "fail") }.run()
    #expect(outcome.error as? TestError == TestError(name: "fail"))
    #expect(undone.entries.sorted() == [0, 2] && outcome.report.undos.count == 2)
  }

  @Test func `a group that always runs hands on its results, and its own failures`() async {
    let handed = Handed()
    let outcome = await Flow().add("fail") { _ in throw TestError(name: "fail") }.always {
      $0.forEach(
        in: 0..<3, width: 2,
        .onEachResult(in: .input) { result, index, context in
          if !context.isCancelled { handed.take(result, index) }
        }
      ) { number, _ in number }
      .forEach(in: 0..<1, .onEachResult { _, _, _ in throw TestError(name: "handing") }) { number, _ in number }
    }.run()
    #expect(outcome.error as? TestError == TestError(name: "fail"))
    #expect(handed.entries == ["0 succeeded(0)", "1 succeeded(1)", "2 succeeded(2)"])
    #expect(outcome.report.alwaysFailures.map { $0.error as? TestError } == [TestError(name: "handing")])
  }

  @Test func `an item between two attempts is handed on when its run ends, as it is kept`() async throws {
    let (kept, again): (FlowKey<[FlowItemResult<Int>]>, TestError) = ("kept", TestError(name: "again"))
    let endings = [(FlowResultOrder.completion, "cancel"), (.input, "cancel"), (.input, "deadline"), (.input, "item")]
    for (order, ending) in endings {
      let (clock, handed) = (ManualClock(), Handed())
      let flow = Flow().clock(clock).forEach(
        in: 0..<3, width: 3, .retry(.attempts(2, delay: .seconds(10)), when: { $0 as? TestError == again }),
        .results(in: kept), .onEachResult(in: order) { result, index, _ in handed.take(result, index) }
      ) { number, _ in
        if number == 1 { throw again }
        try await clock.sleep(for: Duration.seconds(number == 0 ? 3 : 20))
        if ending == "item" { throw TestError(name: "end") }
        return number
      }
      if ending == "deadline" { _ = flow.deadline(.seconds(5)) }
      let run = flow.start()
      await clock.advance(by: .seconds(6))
      if ending == "cancel" { run.cancel() }
      await clock.untilIdle()
      let results = try #require(await run.outcome.report[kept]).enumerated().map { "\($0) \($1.recordDescription)" }
      #expect(handed.entries.sorted() == results && results[1] == "1 cancelled", "\(order) \(ending)")
      if order == .input { #expect(handed.entries == results, "\(ending)") }
    }
  }

  @Test func `several closures of one group are called one after the other`() async {
    let journal = Journal<String>()
    let outcome = await Flow().forEach(
      in: 0..<2, width: 2, .onEachResult { _, index, _ in journal.append("a\(index)") },
      .onEachResult(in: .input) { _, index, _ in journal.append("b\(index)") }
    ) { _, _ in }.run()
    #expect(outcome.isSuccess && journal.entries == ["a0", "b0", "a1", "b1"])
  }

  @Test func `an item that a test performs alone is not handed on, but kept`() async throws {
    let kept: FlowKey<[FlowItemResult<Int>]> = "kept"
    let flow = Flow().forEach(
      in: 0..<3, .named("group"), .results(in: kept), .onEachResult { _, _, _ in fail("called") }
    ) { number, _ in number * 2 }
    let alone = try await flow.perform("group", item: 21)
    #expect(alone.outcome.report[kept]?.map(\.output) == [42])
  }
}

extension Flow {
  fileprivate func observed(_ observer: @escaping @Sendable (FlowEvent) -> Void) -> Flow {
    observe(observer)
    return self
  }
}
