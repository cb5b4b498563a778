import OperationFlow
import Dispatch
import TestSupport
import Testing

extension FlowKey where Value == [Int] {
  fileprivate static var results: Self { "results" }
}

/// Throws for odd numbers.
@Sendable private func even(_ number: Int) throws -> Int {
  if !number.isMultiple(of: 2) { throw TestError(name: "\(number)") }
  return number
}

private final class EvenOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { EvenOp() }
  @FlowInput var number: Int
  @FlowOutput var result: Int?
  override func run() async throws { result = try even(number) }
}

/// The ways to make a group that fails for odd numbers.
private enum Form: CaseIterable {
  case array, asyncArray, operation, dispatcher, collection, sequence, asyncSequence, pulledOperation

  /// The forms in which the number of items is unknown until all of them were read.
  static let pulled = [Form.sequence, .asyncSequence, .pulledOperation]
  static let counted = allCases.filter { !pulled.contains($0) }

  func flow(_ numbers: [Int], _ tolerance: FlowTolerance, width: Int = 2) -> Flow {
    let flow = Flow().set(.numbers, to: numbers)
    let stream = AsyncStream<Int> { continuation in
      for number in numbers { continuation.yield(number) }
      continuation.finish()
    }
    return switch self {
    case .array:
      flow.forEach(.numbers, into: .results, width: width, tolerating: tolerance) { item, _ in try even(item) }
    case .asyncArray:
      flow.forEach(.numbers, into: .results, width: width, tolerating: tolerance) { item, _ async throws in
        await Task.yield()
        return try even(item)
      }
    case .operation:
      flow.forEach(.numbers, into: .results, width: width, tolerating: tolerance, run: EvenOp.self)
    case .dispatcher:
      flow.addGrouped(
        operationCreator: EvenOp.self,
        dispatcher: FlowArrayGroupDispatcher(
          inputKey: .numbers, outputKey: .results, maxConcurrentOperationCount: width, tolerance: tolerance))
    case .collection:
      flow.forEach(in: numbers[...], into: .results, width: width, tolerating: tolerance) { item, _ in try even(item) }
    case .sequence:
      flow.forEach(in: AnySequence(numbers), into: .results, width: width, tolerating: tolerance) { item, _ in
        try even(item)
      }
    case .asyncSequence:
      flow.forEach(in: stream, into: .results, width: width, tolerating: tolerance) { item, _ async throws in
        await Task.yield()
        return try even(item)
      }
    case .pulledOperation:
      flow.forEach(in: stream, into: .results, width: width, tolerating: tolerance, run: EvenOp.self)
    }
  }
}

/// A dispatcher with its own numbers that tolerates a share of failures.
private struct SharingDispatcher: FlowGroupDispatcher {
  let maxConcurrentOperationCount = 1
  var tolerance = FlowTolerance.share(0.5)

  func items(in bucket: DataBucket) throws -> FlowGroupItems { FlowGroupItems([1, 2, 3, 4], name: "numbers") }
  func operation(for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type) -> FlowOperation {
    BlockOp("item") { index == 0 ? $0.finishWithError(error: TestError()) : $0.finishSuccessfully() }
  }
  func collect(_ results: FlowGroupResults) -> [String: any Sendable] { ["failed": results.failures.count] }
}

@Suite(.watched) struct ToleranceTests {
  /// Expects that a group stops with the failure of this number, after this many starts and failures.
  private func stops(
    _ flow: Flow, at number: Int, started: Int, failures: Int, _ line: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let outcome = await flow.add("next") { _ in fail("ran") }.run()
    let report = outcome.report
    #expect(outcome.error as? TestError == TestError(name: "\(number)"), sourceLocation: sourceLocation)
    #expect(report.started.count == started && report.itemFailures.count == failures, sourceLocation: sourceLocation)
    #expect(report[.results] == nil, sourceLocation: sourceLocation)
    if let line { #expect(report.lines.filter { $0.hasPrefix("[Group]") } == [line], sourceLocation: sourceLocation) }
  }

  @Test(arguments: Form.allCases, [1, 2, 5])
  private func `with none the first failure fails the flow, and no later item starts`(form: Form, odd: Int) async {
    var numbers = [0, 2, 4, 6, 8, 10]
    numbers[odd] = 7
    let line = "[Group] not allow failure in group. stop immediately."
    for tolerance in [FlowTolerance.none, .failures(0)] {
      await stops(form.flow(numbers, tolerance, width: 1), at: 7, started: odd + 1, failures: 1, line)
    }
  }

  @Test(arguments: Form.allCases, [1, 2]) private func `with all every item is run, and failures are kept`(
    form: Form, width: Int
  ) async {
    let flow = form.flow(Array(0..<9), .all, width: width)
    let outcome = await flow.run()
    #expect(outcome.isSuccess && flow.isSuccess && flow.error == nil)
    #expect(outcome.report[.results] == [0, 2, 4, 6, 8])
    let failures = outcome.report.itemFailures
    #expect(Set(failures.map(\.index)) == [1, 3, 5, 7] && failures.count == 4)
    if width == 1 { #expect(failures.map(\.index) == [1, 3, 5, 7]) }
    for failure in failures {
      #expect(failure.input as? Int == failure.index && failure.name.hasSuffix(" #\(failure.index + 1)]"))
      #expect(failure.error as? TestError == TestError(name: "\(failure.index)"))
    }
    let none = await form.flow([1, 3, 5], .all, width: width).run()
    #expect(none.isSuccess && none.report[.results] == [] && none.report.itemFailures.count == 3)
  }

  @Test(arguments: Form.allCases) private func `a given number of failures are tolerated, and the next one is not`(
    form: Form
  ) async {
    let tolerated = await form.flow([1, 2, 3, 4], .failures(2)).run()
    #expect(tolerated.isSuccess && tolerated.report[.results] == [2, 4] && tolerated.report.itemFailures.count == 2)
    await stops(form.flow([1, 2, 3, 4, 5, 6, 8], .failures(2), width: 1), at: 5, started: 5, failures: 3)
  }

  // MARK: Which failure, and what becomes of the others

  @Test func `the failures of several groups are kept in the order of the record`() async {
    let flow = Flow()
      .forEach(in: 0..<50, width: 8, tolerating: .all) { _, _ async throws in
        await Task.yield()
        throw TestError(name: "first")
      }
      .forEach(in: 0..<50, tolerating: .all) { _, _ in throw TestError(name: "second") }
    let report = await flow.run().report
    #expect(report.itemFailures.map { "\($0.error)" }.split(separator: "TestError(second)").first?.count == 50)
    let recorded = report.events.filter { if case .finished = $0.kind { true } else { false } }
    let isRecordsOrder = report.itemFailures.map(\.index) == recorded.compactMap(\.source.item)
    #expect(isRecordsOrder && report.itemFailures.count == 100)
  }

  @Test func `not tolerated, running items are cancelled and awaited, and the flow fails once`() async {
    for _ in 0..<50 {
      let (running, meeting, ends) = (Counter(), Meeting(size: 3), Tally())
      let outcome = await Flow()
        .forEach(in: 0..<100, width: 3) { index, context in
          running.enter()
          defer { running.leave() }
          await meeting.attend()
          if index == 0 { throw TestError() }
          await untilCancelled()
          try context.checkCancellation()
        }
        .observe { if case .flowFinished = $0.kind { ends.add() } }
        .run()
      #expect(outcome.error as? TestError == TestError())
      #expect(running.now == 0 && running.total == 3 && ends.count == 1)
      #expect(outcome.report.lines.filter { $0.hasSuffix("] DidFinish: cancelled") }.count == 2)
      #expect(outcome.report.lines.filter { $0.hasPrefix("[Group]") }.count == 1)
    }
  }

  @Test func `not tolerated, operations that never finish are cancelled`() async {
    let waiting = Tally()
    let waits = Work {
      $0.startWithAsynchronous()
      waiting.add()
    }
    let fails = Work { operation in
      operation.startWithAsynchronous()
      Task {
        await waiting.reach(2)
        operation.finishWithError(error: TestError())
      }
    }
    let outcome = await Flow.group([waits, fails, waits] + Array(repeating: waits, count: 20), width: 3).run()
    #expect(outcome.error as? TestError == TestError() && waiting.count == 2)
    #expect(outcome.report.lines.filter { $0.hasSuffix("] DidFinish: cancelled") }.count == 2)
  }

  @Test func `not tolerated, of two that fail at once the first is the flow's error`() async {
    let works = (0..<4).map { number in
      Work { operation in
        operation.startWithAsynchronous()
        DispatchQueue.global().async { operation.finishWithError(error: TestError(name: "\(number)")) }
      }
    }
    for _ in 0..<200 {
      let outcome = await Flow.group(works, width: 4).run()
      let first = outcome.report.lines.first { $0.contains("DidFinish: withError") } ?? ""
      #expect(first.hasSuffix("withError: \(outcome.error as? TestError ?? TestError())"))
      #expect(outcome.report.lines.filter { $0.hasPrefix("[Group]") }.count == 1)
    }
  }

  @Test func `an item that misses data fails with its place`() async {
    let flow = Flow("mine").setDataBucket(dataBucket: ["numbers": [0, 2, "x"] as [any Sendable]])
      .addGrouped(
        operationCreator: EvenOp.self,
        dispatcher: FlowArrayGroupDispatcher(
          inputKey: "numbers", outputKey: "out", maxConcurrentOperationCount: 1))
    let error = await flow.run().error as? FlowError
    #expect(error?.problem == "<number> in data bucket is <x> with type <String>, but NOT type <Int>.")
    #expect(error?.flow == "mine" && error?.step == "[EvenOp #3]")
  }

  @Test func `an item that is cancelled alone is a failure, tolerated or not`() async {
    let cancelled = Work { $0.finishWithError(error: CancellationError()) }
    let tolerated = await Flow.group([cancelled, Work { $0.finishSuccessfully() }], allowFailure: true).run()
    #expect(tolerated.isSuccess)
    #expect((tolerated.report.itemFailures.first?.error as? FlowError)?.code == .cancelled)
    #expect(await Flow.group([cancelled]).run().isCancelled)
  }

  // MARK: Shares

  private let moreThanHalf = "[Group] more than a share of 0.5 failed: stopping"

  @Test(arguments: Form.counted) private func `a group stops with the failure that is more than its share of all items`(
    form: Form
  ) async {
    let tolerated = await form.flow([1, 2, 3, 4], .share(0.5), width: 1).run()
    #expect(tolerated.isSuccess && tolerated.report[.results] == [2, 4] && tolerated.report.itemFailures.count == 2)
    await stops(form.flow([1, 3, 5, 7], .share(0.5), width: 1), at: 5, started: 3, failures: 3, moreThanHalf)
    // The share is less than one item, so no failure is tolerated.
    await stops(form.flow([2, 1, 4], .share(0.3), width: 1), at: 1, started: 2, failures: 1)
  }

  @Test(arguments: Form.pulled) private func `a sequence is read to its end, and then the share is one of all items`(
    form: Form
  ) async throws {
    let tolerated = await form.flow([1, 3, 2, 4], .share(0.5), width: 1).run()
    #expect(tolerated.isSuccess && tolerated.report[.results] == [2, 4])
    await stops(form.flow([1, 3, 2], .share(0.5), width: 1), at: 3, started: 3, failures: 2, moreThanHalf)
    let exceeded = await form.flow([1, 3, 2], .share(0.5), width: 1).run()
    let failure = try #require(exceeded.failure)
    #expect(failure.name.hasSuffix(" #2]") && failure.item == 1 && failure.attempt == 1)
    #expect(exceeded.report.steps.first?.end == .failed && exceeded.report.steps.first?.items?.total == 3)
  }

  @Test func `a failure after the end of a sequence stops the group at once`() async {
    let (items, continuation) = AsyncStream.makeStream(of: Int.self)
    let (hasEnded, begun) = (Signal(), Tally())
    for item in 0..<4 { continuation.yield(item) }
    let flow = Flow().forEach(in: items, width: 5, tolerating: .share(0.25)) { (item: Int, context) async throws in
      switch item {
      case 1: throw TestError(name: "tolerated")
      case 0:
        await hasEnded.wait()
        throw TestError(name: "one too many")
      default:
        await begun.addUntilCancelled()
        try context.checkCancellation()
      }
    }
    let run = flow.start()
    for await event in run.events where event.kind == .finished(.withError("\(TestError(name: "tolerated"))")) {
      continuation.finish()
      break
    }
    while run.waitingFor.contains(where: { $0.reason == .nextItem }) { await Task.yield() }
    await begun.reach(2)
    hasEnded.fire()
    let outcome = await run.outcome
    #expect(outcome.error as? TestError == TestError(name: "one too many"))
    #expect(outcome.report.steps.first?.items?.cancelled == 2)
  }

  @Test func `a dispatcher has a tolerance, which is all or none unless it says otherwise`() async {
    let all = FlowArrayGroupDispatcher(inputKey: "a", outputKey: "b", allowFailure: true)
    #expect(all.tolerance == .all && all.allowFailure)
    let none = FlowArrayGroupDispatcher(inputKey: "a", outputKey: "b")
    #expect(none.tolerance == .none && !none.allowFailure)
    let share = FlowArrayGroupDispatcher(inputKey: .numbers, outputKey: .results, tolerance: .share(0.1))
    #expect(share.tolerance == .share(0.1) && share.allowFailure)
    let own = await Flow().addGrouped(operationCreator: WorkOp.self, dispatcher: SharingDispatcher()).run()
    #expect(own.report["failed" as FlowKey<Int>] == 1)
    let strict = SharingDispatcher(tolerance: .share(0.2))
    #expect(await Flow().addGrouped(operationCreator: WorkOp.self, dispatcher: strict).run().error is TestError)
  }

  // MARK: The number of failures that is tolerated

  @Test func `nothing and everything are the same as a share and as a number`() {
    #expect(FlowTolerance.share(0) == .none && FlowTolerance.share(-0.0) == .none && FlowTolerance.share(1) == .all)
    #expect(FlowTolerance.failures(0) == .none)
    #expect(FlowTolerance.share(0.5) == .share(0.5) && FlowTolerance.share(0.5) != .share(0.25))
  }
}
