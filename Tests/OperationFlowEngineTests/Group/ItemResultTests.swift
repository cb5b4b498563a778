@testable import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

extension FlowKey where Value == [FlowItemResult<Int>] {
  fileprivate static var results: Self { "results" }
}

/// An operation that outputs an even item, or nothing for 0, and fails for odd items.
private final class EvenOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { EvenOp() }
  @FlowInput var number: Int
  @FlowOutput var result: Int?

  override func run() async throws {
    if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
    if number > 0 { result = number }
  }
}

extension FlowReport {
  /// The short texts of the results under the key `results`.
  fileprivate var results: [String]? { self[.results]?.map(\.recordDescription) }
}

@Suite(.watched) struct ItemResultTests {
  /// The results that the same group delivered one by one.
  private let handed = Handed()

  @Sendable private static func even(_ number: Int, _ context: FlowContext) throws -> Int {
    if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
    return number * 10
  }

  @Test func `they are kept without an output key, and of a sequence`() async {
    let flow = Flow().forEach(in: 0..<3, tolerating: .all, .results(in: .results), run: Self.even)
    #expect(await flow.run().report.results == ["succeeded(0)", "failed(TestError(1))", "succeeded(20)"])
    let empty = Flow().forEach(in: [], .results(in: .results), run: Self.even)
    #expect(await empty.run().report.results == [])
  }

  @Test func `the items of a group that fails have results in its report`() async {
    let outcome = await Flow().set(.numbers, to: [2, 1, 4])
      .forEach(.numbers, into: .outputs, width: 1, .results(in: .results), run: Self.even)
      .run()
    #expect(outcome.error as? TestError == TestError(name: "1"))
    #expect(outcome.report.results == ["succeeded(20)", "failed(TestError(1))", "neverStarted"])
    #expect(outcome.report[.outputs] == nil && outcome.report.partialOutputs(.outputs) == [0: 20])
  }

  @Test func `an item that runs when its group stops or its run is cancelled is cancelled`() async {
    let isRunning = Signal()
    let flow = Flow().set(.numbers, to: [0, 1, 2])
      .forEach(.numbers, width: 2, .results(in: .results)) { number, context in
        if number == 0 {
          await isRunning.fireUntilCancelled()
          try context.checkCancellation()
        }
        await isRunning.wait()
        return try Self.even(number, context)
      }
    let failed = await flow.run()
    #expect(failed.report.results == ["cancelled", "failed(TestError(1))", "neverStarted"])
    let run = Flow().forEach(in: 0..<3, width: 2, .results(in: .results)) { number, context in
      if number == 0 { return number }
      context.log("waits")
      await untilCancelled()
      try context.checkCancellation()
      return number
    }.start()
    // The third item may start before the second, which would then be cancelled before its start.
    var waiting = 0
    for await event in run.events where event.kind == .logged("waits", .info) {
      waiting += 1
      if waiting == 2 { break }
    }
    run.cancel()
    #expect(await run.outcome.report.results == ["succeeded(0)", "cancelled", "cancelled"])
  }

  @Test func `of an item that is tried again, the last attempt counts`() async {
    let outcome = await Flow().forEach(
      in: 0..<3, width: 1, tolerating: .all, .results(in: .results), .retry(.attempts(2)),
      .onEachResult { [handed] result, index, _ in handed.take(result, index) },
      .recover { error, _ in
        if error as? TestError != TestError(name: "1") { throw error }
      }
    ) { number, context in
      if number == 0, context.attempt == 2 { return 5 }
      throw TestError(name: "\(number)")
    }.run()
    #expect(outcome.report.results == ["succeeded(5)", "withoutOutput", "failed(TestError(2))"])
    #expect(handed.entries == ["0 succeeded(5)", "1 withoutOutput", "2 failed(TestError(2))"])
  }

  @Test func `an item that was to be tried again when the run ended counts as cancelled`() async {
    let clock = ManualClock()
    let run = Flow().forEach(in: 0..<1, .results(in: .results), .retry(.attempts(2, delay: .seconds(9)))) { number, _ in
      if number == 0 { throw TestError() }
      return number
    }.clock(clock).start()
    for await event in run.events where event.isRetried { break }
    run.cancel()
    #expect(await run.outcome.report.results == ["cancelled"])
  }

  @Test func `an operation without an output has succeeded without one`() async {
    let flow = Flow().set(.numbers, to: [0, 1, 2])
      .forEach(
        .numbers, into: .outputs, width: 1, tolerating: .all, run: EvenOp.self, .results(in: .results),
        .onEachResult { [handed] result, index, _ in handed.take(result, index) }
      )
    #expect(await flow.run().report.results == ["withoutOutput", "failed(TestError(1))", "succeeded(2)"])
    #expect(handed.entries == ["0 withoutOutput", "1 failed(TestError(1))", "2 succeeded(2)"])
    let key: FlowKey<[FlowItemResult<any Sendable>]> = "any"
    let dispatched = await Flow().set(.numbers, to: [2, 1])
      .addGrouped(
        operationCreator: EvenOp.self,
        dispatcher: FlowArrayGroupDispatcher(inputKey: .numbers, outputKey: .outputs, allowFailure: true),
        .results(in: key), .onEachResult { [handed] result, index, _ in handed.take(result, index) }
      ).run()
    #expect(dispatched.report[key]?.map(\.recordDescription) == ["succeeded(2)", "failed(TestError(1))"])
    #expect(Set(handed.entries.dropFirst(3)) == ["0 succeeded(2)", "1 failed(TestError(1))"])
  }

  @Test func `validation knows the key, and a later step reads it`() async {
    let flow = Flow().forEach(in: 0..<2, tolerating: .all, .writesNothing, .results(in: .results), run: Self.even)
      .add("read", .reads(.results), .writesNothing) { _ = try $0.require(.results) }
    #expect(flow.faults.isEmpty && flow.blueprint.steps[0].outputs.map(\.name) == ["results"])
    #expect(await flow.run().isSuccess)
    let none = Flow().forEach(in: 0..<2, .writesNothing, run: Self.even).add("read", .reads(.results)) { _ in }
    #expect(none.faults == ["error missingData at 2. read: results"])
  }

  @Test func `they are hidden with the outputs, and with a key of their own`() async {
    let (secret, name): (FlowKey<[Int]>, String) = (FlowKey("secret", sensitive: true), "results")
    let flow = Flow().forEach(in: [4321], into: secret, .results(in: .results)) { number, _ in number }
    #expect(await !flow.run().report.summary.contains("4321"))
    let own: FlowKey<[FlowItemResult<Int>]> = FlowKey("results", sensitive: true)
    let hidden = await Flow().forEach(in: [4321], .results(in: own)) { number, _ in number }.run().report
    #expect(!hidden.summary.contains("4321") && hidden[own]?.first?.output == 4321)
    let late = await Flow().forEach(in: [4321], into: .outputs, .results(in: .results)) { number, _ in number }
      .markSensitive("outputs").run().report
    #expect(!late.summary.contains("4321") && late.data[name] != nil)
  }

  @Test func `stand-ins for a group's items leave results, and an output of another type is an error`() async throws {
    let flow = Flow().forEach(
      in: 0..<2, into: .outputs, width: 1, .named("group"), .results(in: .results),
      .onEachResult { [handed] result, index, _ in handed.take(result, index) },
      run: Self.even)
    let copy = try flow.replacingItems(of: "group") { (number: Int, _) in number + 7 }
    #expect(await copy.run().report.results == ["succeeded(7)", "succeeded(8)"])
    let wrong = try await flow.replacingItems(of: "group") { (number: Int, _) in "\(number)" }.run()
    #expect(wrong.code == .mismatchedData)
    #expect(wrong.report.results == ["failed(mismatchedData)"], "the second is never taken from the sequence")
    #expect(handed.entries.sorted() == ["0 succeeded(7)", "1 succeeded(8)"])
  }

  @Test func `limited items that never get a permit are cancelled`() async {
    let limiter = FlowLimiter(atMost: 1)
    let run = Flow().forEach(
      in: 0..<3, width: 2, .limited(by: limiter), .results(in: .results),
      .onEachResult { [handed] result, index, _ in handed.take(result, index) }
    ) { number, context in
      await untilCancelled()
      try context.checkCancellation()
      return number
    }.start()
    while run.waitingFor.count(where: { $0.reason == .limit }) == 0 { await Task.yield() }
    run.cancel()
    #expect(await run.outcome.report.results?.prefix(2) == ["cancelled", "cancelled"])
    #expect(handed.entries.sorted() == ["0 cancelled", "1 cancelled"])
  }

  @Test func `a group in a branch that is cancelled leaves its results`() async {
    let run = Flow().set(.numbers, to: [0, 1]).parallel {
      $0.branch("waits") {
        $0.forEach(.numbers, width: 1, .results(in: .results)) { number, context in
          context.log("waits")
          await untilCancelled()
          return number
        }
      }
      $0.branch("fails") {
        $0.add("fail") { context in
          while context["go" as FlowKey<Int>] == nil { await Task.yield() }
          throw TestError()
        }
      }
    }.start()
    for await event in run.events where event.kind == .logged("waits", .info) { break }
    run.bucket.set("go" as FlowKey<Int>, to: 1)
    let outcome = await run.outcome
    #expect(outcome.error is TestError)
    #expect(outcome.report.results == ["succeeded(0)", "neverStarted"])
  }

  @Test func `a result has an output or says why not`() throws {
    #expect(try FlowItemResult.succeeded(3).get() == 3 && FlowItemResult.succeeded(3).output == 3)
    #expect(throws: TestError.self) { try FlowItemResult<Int>.failed(TestError()).get() }
    let codes = [FlowItemResult<Int>.withoutOutput, .cancelled, .neverStarted].map { result -> FlowError.Code? in
      guard case .failure(let error) = result.result else { return nil }
      return (error as? FlowError)?.code
    }
    #expect(codes == [.missingData, .cancelled, .cancelled])
    #expect(FlowItemResult<Int>.withoutOutput.isSuccess && !FlowItemResult<Int>.neverStarted.isSuccess)
    #expect(FlowItemResult<Int>.cancelled.output == nil && FlowItemResult<Int>.cancelled.error == nil)
  }
}
