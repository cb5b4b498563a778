import OperationFlow
import TestSupport
import Testing

/// Runs an operation for each entry of a dictionary, and collects a dictionary.
private struct DictionaryDispatcher: FlowGroupDispatcher {
  var maxConcurrentOperationCount = 2
  var allowFailure = false
  let keys = Locked([String]())

  func items(in bucket: DataBucket) throws -> FlowGroupItems {
    let entries = try bucket.require("prices" as FlowKey<[String: Int]>).sorted { $0.key < $1.key }
    keys.withLock { $0 = entries.map(\.key) }
    return FlowGroupItems(entries.map(\.value), name: "prices")
  }

  func collect(_ results: FlowGroupResults) throws -> [String: any Sendable] {
    let pairs = zip(keys.withLock { $0 }, results.outputs).compactMap { key, output in
      (output as? Int).map { (key, $0) }
    }
    let total = pairs.map(\.1).reduce(0, +)
    return ["doubled": Dictionary(uniqueKeysWithValues: pairs), "total": total, "a": results.failures.count]
  }
}

/// Performs each of its parts with a closure.
private struct ScriptedDispatcher: FlowGroupDispatcher {
  var maxConcurrentOperationCount = 1
  var allowFailure = false
  var onItems: @Sendable () throws -> [Int] = { [1, 2] }
  var onOperation: @Sendable (Int) throws -> FlowOperation = { _ in SuccessOp() }
  var onCollect: @Sendable (FlowGroupResults) throws -> [String: any Sendable] = { _ in [:] }

  func items(in bucket: DataBucket) throws -> FlowGroupItems { FlowGroupItems(try onItems(), name: "script") }

  func operation(for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type) throws -> FlowOperation
  {
    try onOperation(index)
  }

  func collect(_ results: FlowGroupResults) throws -> [String: any Sendable] { try onCollect(results) }
}

@Suite(.watched) struct CustomDispatcherTests {
  private func run(_ dispatcher: any FlowGroupDispatcher) async -> FlowOutcome {
    await Flow().addGrouped(operationCreator: DoubleOp.self, dispatcher: dispatcher).run()
  }

  @Test func `a dictionary goes in and a dictionary comes out`() async {
    let outcome = await Flow().setDataBucket(dataBucket: ["prices": ["apple": 1, "pear": 2, "fig": 3]])
      .addGrouped(operationCreator: DoubleOp.self, dispatcher: DictionaryDispatcher()).run()
    #expect(outcome.report["doubled" as FlowKey<[String: Int]>] == ["apple": 2, "pear": 4, "fig": 6])
    #expect(outcome.report["total" as FlowKey<Int>] == 12)
    let lines = outcome.report.lines.filter { $0.contains("DictionaryDispatcher") || $0.contains("add for") }
    #expect(lines.first == "[DictionaryDispatcher] group created: 3")
    #expect(lines.last == "[DictionaryDispatcher] all finished. output size: 3")
    let written = lines.filter { $0.hasPrefix("[DataBucket]") }.map { $0.prefix(24) }
    #expect(
      written
        == ["[DataBucket] add for a: 0", "[DataBucket] add for doub", "[DataBucket] add for tota"].map { $0.prefix(24) }
    )
  }

  @Test func `its errors fail the group, wherever they are thrown`() async {
    let planning = await run(ScriptedDispatcher(onItems: { throw TestError(name: "items") }))
    #expect(planning.error as? TestError == TestError(name: "items"))
    #expect(planning.report.lines.contains("[ScriptedDispatcher] DidFinish: withError: TestError(items)"))
    let collecting = await run(ScriptedDispatcher(onCollect: { _ in throw TestError(name: "collect") }))
    #expect(collecting.error as? TestError == TestError(name: "collect"))
    let missing = await run(DictionaryDispatcher())
    #expect((missing.error as? FlowError)?.code == .missingData)
  }

  @Test func `an operation that it can't make fails that item`() async {
    let make = { @Sendable (index: Int) throws -> FlowOperation in
      if index == 0 { throw TestError(name: "make") }
      return SuccessOp()
    }
    let strict = await run(ScriptedDispatcher(onOperation: make))
    #expect(strict.error as? TestError == TestError(name: "make"))
    #expect(strict.report.lines.contains("[DoubleOp #1] DidFinish: withError: TestError(make)"))
    let tolerant = await run(ScriptedDispatcher(allowFailure: true, onOperation: make))
    #expect(tolerant.isSuccess && tolerant.report.itemFailures.map(\.index) == [0])
  }

  @Test func `a cancellation that it throws cancels the flow`() async {
    guard case .cancelled = await run(ScriptedDispatcher(onItems: { throw CancellationError() })) else {
      return fail("not cancelled")
    }
  }

  @Test func `it is handed the outputs in input order, with gaps, and the failures`() async {
    let seen = Journal<FlowGroupResults>()
    let outcome = await run(
      ScriptedDispatcher(
        allowFailure: true, onItems: { [5, 6, 7] },
        onOperation: { index in
          if index == 1 { return BlockOp { $0.finishWithError(error: TestError()) } }
          return DoubleOp()
        },
        onCollect: {
          seen.append($0)
          return [:]
        }))
    #expect(outcome.isSuccess)
    #expect(seen.entries.first?.outputs.map { $0 as? Int } == [10, nil, 14])
    #expect(seen.entries.first?.failures.map(\.index) == [1])
    #expect(seen.entries.first?.failures.first?.input as? Int == 6)
  }
}
