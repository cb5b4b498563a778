import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct FlowResultsTests {
  private func flow(
    _ results: FlowResults<Int>, count: Int = 4, width: Int = 1, in order: FlowResultOrder = .completion,
    _ body: @escaping @Sendable (Int, FlowContext) async throws -> Int = { number, _ in number }
  ) -> Flow {
    Flow().forEach(in: 0..<count, width: width, tolerating: .all, .results(to: results, in: order), run: body)
  }

  @Test func `no more items are ahead of the loop than the group is wide`() async throws {
    for order in [FlowResultOrder.completion, .input] {
      let (results, ahead) = (FlowResults<Int>(), Counter())
      let run = flow(results, count: 300, width: 3, in: order) { number, _ in
        ahead.enter()
        if number.isMultiple(of: 2) { await Task.yield() }
        return number
      }.start()
      var indices: [Int] = []
      for try await (index, _) in results {
        ahead.leave()
        indices.append(index)
        // The one that was taken has given its place to another before this loop hears of it.
        #expect(ahead.peak <= 3 + 1)
      }
      #expect(order == .input ? indices == Array(0..<300) : indices.sorted() == Array(0..<300))
      #expect(await run.outcome.isSuccess)
    }
  }

  @Test func `a loop that is left early holds up nothing`() async throws {
    let results = FlowResults<Int>()
    let run = flow(results, count: 100, width: 2).start()
    for try await (index, _) in results where index >= 3 { break }
    #expect(await run.outcome.isSuccess)
  }

  /// As at the top level of `main.swift`, where the iterator lives as long as the program.
  @Test func `a loop whose iterator is kept ends with the sequence, and holds up nothing`() async throws {
    let results = FlowResults<Int>()
    let run = flow(results, count: 100, width: 2, in: .input).start()
    var iterator = results.makeAsyncIterator()
    #expect(try await iterator.next()?.index == 0)
    results.finish()
    #expect(await run.outcome.isSuccess)
    #expect(try await iterator.next() == nil)
    results.finish()
    withExtendedLifetime(iterator) {}
  }

  @Test func `a sequence that is finished before its loop, or while that waits, ends it`() async throws {
    let early = FlowResults<Int>()
    early.finish()
    let run = flow(early, count: 10).start()
    for try await _ in early { fail("a result") }
    #expect(await run.outcome.isSuccess)
    let (results, isAtWork, mayEnd) = (FlowResults<Int>(), Signal(), Signal())
    let second = flow(results, count: 3) { number, _ in
      await isAtWork.fire(thenAwait: mayEnd)
      return number
    }.start()
    async let count = {
      var count = 0; for try await _ in results { count += 1 }; return count
    }()
    await isAtWork.wait()
    results.finish()
    #expect(try await count == 0)
    mayEnd.fire()
    #expect(await second.outcome.isSuccess)
  }

  @Test func `a sequence that no one keeps holds up nothing`() async {
    #expect(await flow(FlowResults(), count: 100).run().isSuccess)
  }

  @Test func `a task that is cancelled while it waits ends its loop, and the group goes on`() async throws {
    let (results, isWaiting, mayEnd) = (FlowResults<Int>(), Signal(), Signal())
    let run = flow(results, count: 3) { number, _ in
      await isWaiting.fire(thenAwait: mayEnd)
      return number
    }.start()
    let task = Task {
      var count = 0
      for try await _ in results { count += 1 }
      return count
    }
    await isWaiting.wait()
    task.cancel()
    #expect(try await task.value == 0)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `what has ended when the run is cancelled is still there`() async throws {
    let results = FlowResults<Int>()
    let run = Flow().set("numbers" as FlowKey<[Int]>, to: [0, 1, 2])
      .forEach("numbers" as FlowKey<[Int]>, width: 3, .results(to: results, in: .input)) { number, _ in number }.start()
    var count = 0
    for await event in run.events where event.kind == .finished(.successfully) && event.source.item != nil {
      count += 1
      if count == 3 { break }
    }
    run.cancel()
    #expect(await run.outcome.isCancelled)
    var indices: [Int] = []
    for try await (index, _) in results { indices.append(index) }
    #expect(indices == [0, 1, 2])
  }

  @Test func `it ends with a run that never reaches the group, or is refused`() async throws {
    let unreached = FlowResults<Int>()
    let run = Flow().add("fail") { _ in throw TestError() }.forEach(in: 0..<1, .results(to: unreached)) { n, _ in n }
      .start()
    for try await _ in unreached { fail("a result") }
    #expect(await run.outcome.error is TestError)
    let refused = FlowResults<Int>()
    let key: FlowKey<[Int]> = "missing"
    let second = Flow().forEach(key, .results(to: refused)) { n, _ in n }.start()
    for try await _ in refused { fail("a result") }
    #expect(await second.outcome.code == .missingData)
  }

  @Test func `it ends if its flow is freed without a run`() async throws {
    let results = FlowResults<Int>()
    _ = flow(results)
    for try await _ in results { fail("a result") }
  }

  @Test func `two groups can't have the same, and neither can two runs`() async {
    let results = FlowResults<Int>()
    let both = Flow().forEach(in: 0..<1, .results(to: results)) { n, _ in n }
      .forEach(in: 0..<1, .results(to: results)) { n, _ in n }
    #expect(both.faults == ["error resultsUsedTwice at 2. forEach (2)"])
    #expect(await both.run().code == .resultsUsedTwice)
    let (mayEnd, again) = (Signal(), FlowResults<Int>())
    let flow = flow(again, count: 1) { number, _ in
      await mayEnd.wait()
      return number
    }
    let run = flow.start()
    let second = await flow.run()
    #expect(second.code == .resultsUsedTwice && second.report.started.isEmpty)
    #expect("\(second.error.map { "\($0)" } ?? "")".hasSuffix("build the flow again, with a new one."))
    mayEnd.fire()
    async let first = again.first { _ in true }
    #expect(await run.outcome.isSuccess)
    #expect(await (try? first)?.index == 0)
    #expect(await flow.run().code == .resultsUsedTwice)
  }

  @Test func `a second loop is an error`() async throws {
    let results = FlowResults<Int>()
    let run = flow(results, count: 1).start()
    for try await _ in results {}
    await #expect(throws: FlowError.self) { for try await _ in results {} }
    #expect(await run.outcome.isSuccess)
  }

  @Test func `an item that a test performs alone is not handed on, but kept`() async throws {
    let (results, kept): (FlowResults<Int>, FlowKey<[FlowItemResult<Int>]>) = (FlowResults(), "kept")
    let flow = Flow().forEach(
      in: 0..<3, .named("group"), .results(in: kept), .results(to: results),
      .onEachResult { _, _, _ in fail("called") }
    ) { number, _ in number * 2 }
    let alone = try await flow.perform("group", item: 21)
    #expect(alone.outcome.report[kept]?.map(\.output) == [42])
  }

  @Test func `an operation object that is taken gives the sequence back`() async throws {
    let (results, operation) = (FlowResults<Int>(), BlockOp("op"))
    #expect(await Flow().add(operation: operation).run().isSuccess)
    let flow = Flow().forEach(in: 0..<1, .results(to: results)) { n, _ in n }.add(operation: operation)
    #expect(await flow.run().code == .operationUsedTwice)
  }
}
