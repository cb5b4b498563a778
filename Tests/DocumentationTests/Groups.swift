import OperationFlow
import TestSupport
import Testing

extension FlowKey where Value == [String] {
  static var words: Self { "words" }
}
extension FlowKey where Value == [Int] {
  static var lengths: Self { "lengths" }
  static var readings: Self { "readings" }
}
extension FlowKey where Value == [FlowItemResult<Int>] {
  static var checkedLengths: Self { "checkedLengths" }
}

extension FlowKey where Value == Int {
  static var total: Self { "total" }
}

struct EmptyWord: Error {}

struct Sensor: Sendable {
  func readings() -> AsyncStream<Int> {
    AsyncStream { continuation in
      for reading in 1...5 { continuation.yield(reading) }
      continuation.finish()
    }
  }

  func calibrated(_ reading: Int) async throws -> Int { reading * 10 }
}

let sensor = Sensor()

func store(_ reading: Int) async throws {}

let calibrations = FlowLimiter(atMost: 4, starts: 10, per: .seconds(1))

enum Groups {
  static func array(print: Printer) async -> FlowOutcome {
    let outcome = await Flow("Lengths")
      .set(.words, to: ["a", "bb", "", "dddd"])
      .forEach(.words, into: .lengths, width: 2, tolerating: .failures(1)) { word, context in
        guard !word.isEmpty else { throw EmptyWord() }
        return word.count
      }
      .run()

    for failure in outcome.report.itemFailures {
      print(failure.index, failure.input, failure.error)
    }
    return outcome
  }

  static func share() -> Flow {
    let flow = Flow("Lengths")
      .forEach(.words, into: .lengths, width: 2, tolerating: .share(0.05)) { word, context in
        guard !word.isEmpty else { throw EmptyWord() }
        return word.count
      }
    return flow
  }

  static func results(print: Printer) async -> FlowOutcome {
    let outcome = await Flow("Lengths")
      .set(.words, to: ["a", "", "ccc"])
      .forEach(.words, tolerating: .all, .results(in: .checkedLengths)) { word, context in
        guard !word.isEmpty else { throw EmptyWord() }
        return word.count
      }
      .run()

    for (index, result) in (outcome.report[.checkedLengths] ?? []).enumerated() {
      switch result {
      case .succeeded(let length): print(index, length)
      case .withoutOutput: print(index, "no output")
      case .failed(let error): print(index, error)
      case .cancelled, .neverStarted: print(index, "didn't come to its end")
      }
    }
    return outcome
  }

  static func eachResult() -> Flow {
    let flow = Flow("Calibrate")
      .forEach(
        in: sensor.readings(), width: 8, tolerating: .all,
        .onEachResult(in: .input) { (result: FlowItemResult<Int>, index, context) in
          context.log("reading \(index)")
          try await store(result.get())
        }
      ) { reading, _ in
        try await sensor.calibrated(reading)
      }
    return flow
  }

  static func sequence(print: Printer) async throws -> FlowRun {
    let calibrated = FlowResults<Int>()
    let run = Flow("Calibrate")
      .forEach(in: sensor.readings(), width: 8, .results(to: calibrated)) { reading, _ in
        try await sensor.calibrated(reading)
      }
      .start()
    for try await (index, result) in calibrated {
      print(index, result.output ?? "failed")
      if result.error != nil { break }
    }
    calibrated.finish()
    return run
  }

  static func limited() -> Flow {
    let flow = Flow("Calibrate")
      .forEach(in: sensor.readings(), into: .readings, width: 100, .limited(by: calibrations)) { reading, context in
        try await sensor.calibrated(reading)
      }
      .add("check", .limited(by: calibrations)) { context in
        try await context.log("\(sensor.calibrated(0))")
      }
    return flow
  }

  static func byHand(print: Printer) async throws {
    print(try await calibrations.withPermit { try await sensor.calibrated(0) })
  }

  static func declared() -> Flow {
    let flow = Flow("Count")
      .forEach(.words, into: .lengths, .named("count"), .writes(.total)) { word, context in
        context.update(.total, default: 0) { $0 += word.count }
        return word.count
      }
    return flow
  }

  final class LengthOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { LengthOp() }
    @FlowInput var word: String
    @FlowOutput var length: Int?

    override func mainLogic() {
      length = word.count
      finishSuccessfully()
    }
  }

  static func operations() -> Flow {
    let flow = Flow("Lengths").forEach(.words, into: .lengths, run: LengthOp.self)
    return flow
  }

  static func dispatched() -> Flow {
    let flow = Flow("Lengths").addGrouped(
      operationCreator: LengthOp.self,
      dispatcher: FlowArrayGroupDispatcher(
        inputKey: "words", outputKey: "lengths", maxConcurrentOperationCount: 2, allowFailure: true))
    return flow
  }

  static func sequences() -> Flow {
    let flow = Flow("Sum")
      .forEach(in: 1...10_000, width: 2) { number, context in
        context.update("sum", default: 0) { $0 += number }
      }
      .forEach(in: sensor.readings(), into: .readings, width: 4) { reading, context in
        try await sensor.calibrated(reading)
      }
    return flow
  }

  struct SumDispatcher: FlowGroupDispatcher {
    let maxConcurrentOperationCount = 4
    let allowFailure = false

    func items(in bucket: DataBucket) throws -> FlowGroupItems {
      let words = try bucket.require(.words)
      return FlowGroupItems(words.sorted(), name: "sorted words")
    }

    func collect(_ results: FlowGroupResults) -> [String: any Sendable] {
      ["total": results.outputs.compactMap { $0 as? Int }.reduce(0, +)]
    }
  }
}

@Suite(.watched) struct GroupsTests {
  private typealias Article = Groups

  @Test func `a tolerated failure is kept beside the outputs`() async {
    let print = Printer()
    let outcome = await Article.array(print: print)
    #expect(outcome.isSuccess && outcome.error == nil)
    #expect(outcome.report[.lengths] == [1, 2, 4])
    #expect(print.texts == ["2  EmptyWord()"])
    #expect(outcome.report.itemFailures.map(\.name) == ["[words #2]"])
  }

  @Test func `a share of the items may fail, and not one more`() async {
    let words = Array(repeating: "a", count: 19)
    #expect(await Article.share().run(with: ["words": words + [""]]).isSuccess)
    #expect(await Article.share().run(with: ["words": Array(words.dropFirst()) + [""]]).error is EmptyWord)
  }

  @Test func `every result is in its place`() async {
    let print = Printer()
    #expect(await Article.results(print: print).isSuccess)
    #expect(print.texts == ["0 1", "1 EmptyWord()", "2 3"])
  }

  @Test func `each result is handed on in the order of the items`() async {
    let outcome = await Article.eachResult().run()
    let lines = outcome.report.events.compactMap { if case .logged(let text, _) = $0.kind { text } else { nil } }
    #expect(outcome.isSuccess && lines == (0..<5).map { "reading \($0)" })
  }

  @Test func `the results are read while the group is at work`() async throws {
    let print = Printer()
    let run = try await Article.sequence(print: print)
    #expect(await run.outcome.isSuccess)
    #expect(print.texts.sorted() == ["0 10", "1 20", "2 30", "3 40", "4 50"])
  }

  @Test func `a group's closure counts under the group's name`() async {
    let outcome = await Article.declared().run(with: ["words": ["a", "bb"]])
    #expect(outcome.report[.total] == 3 && outcome.report[.lengths] == [1, 2])
    #expect(outcome.report.events.filter { $0.kind == .started }.map(\.source.name) == ["count", "count"])
  }

  @Test func `an operation is given its item and leaves its output`() async {
    for flow in [Article.operations(), Article.dispatched()] {
      let outcome = await flow.run(with: ["words": ["a", "bb"]])
      #expect(outcome.report[.lengths] == [1, 2])
      #expect(outcome.report.data["length"] == nil)
    }
  }

  @Test func `sequences are taken as there is room, and a run's failure to have them fails the group`() async {
    let flow = Article.sequences()
    for outcome in [await flow.run(), await flow.run()] {
      #expect(outcome.report["sum"] == 50_005_000)
      #expect(outcome.report[.readings] == [10, 20, 30, 40, 50])
    }
    let tolerant = Flow().forEach(in: brokenReadings(), tolerating: .all) { _, _ in }
    #expect(await tolerant.run().error is EmptyWord)
  }

  @Test func `a dispatcher finds and collects`() async {
    let flow = Flow().addGrouped(operationCreator: Article.LengthOp.self, dispatcher: Article.SumDispatcher())
    #expect(await flow.run(with: ["words": ["ccc", "a"]]).report["total"] == 4)
    #expect((await flow.run().error as? FlowError)?.code == .missingData)
  }

  @Test func `the input may be missing, mistyped or empty`() async {
    for flow in [Article.operations(), Article.dispatched()] {
      #expect((await flow.run().error as? FlowError)?.code == .missingData)
      #expect((await flow.run(with: ["words": 7]).error as? FlowError)?.code == .mismatchedData)
      let empty = await flow.run(with: ["words": [String]()])
      #expect(empty.isSuccess && empty.report[.lengths] == [])
    }
  }

  @Test func `a width below one is refused`() async {
    let outcome = await Flow().forEach(in: 1...3, width: 0) { _, _ in }.run()
    #expect((outcome.error as? FlowError)?.code == .invalidWidth)
    #expect(outcome.report.stepCount == 0)
  }

  @Test func `one failure too many stops the group`() async {
    let outcome = await Flow().set(.words, to: ["", "a", "", "b", "c"])
      .forEach(.words, into: .lengths, width: 1, tolerating: .failures(1)) { word, context in
        guard !word.isEmpty else { throw EmptyItem(index: context.index) }
        return word.count
      }
      .run()
    #expect(outcome.error as? EmptyItem == EmptyItem(index: 2))
    #expect(outcome.report.itemFailures.map(\.index) == [0, 2])
    #expect(outcome.report[.lengths] == nil)
    #expect(outcome.report.events.count { $0.kind == .started } == 3)
  }

  @Test func `items that run are cancelled, and waited for`() async {
    let isWaiting = Signal()
    let outcome = await Flow().forEach(in: 0..<10, width: 2) { item, context in
      if item == 1 {
        await isWaiting.wait()
        throw EmptyItem(index: 1)
      }
      isWaiting.fire()
      await Signal().wait()  // Nothing fires it: it returns when its task is cancelled.
      #expect(context.isCancelled)
    }
    .run()
    #expect(outcome.error as? EmptyItem == EmptyItem(index: 1))
    #expect(outcome.report.events.count { $0.kind == .started } == 2)
  }

  @Test func `an item that is cancelled counts as failed, and one without an output is left out`() async {
    let outcome = await Flow().forEach(in: 0..<3, into: .lengths, tolerating: .all) { item, _ in
      if item == 1 { throw CancellationError() }
      return item
    }
    .run()
    #expect(outcome.isSuccess && outcome.report[.lengths] == [0, 2])
    #expect((outcome.report.itemFailures.first?.error as? FlowError)?.code == .cancelled)
    let silent = await Flow().forEach(in: 0..<3, into: .lengths, run: SilentOp.self).run()
    #expect(silent.isSuccess && silent.report[.lengths] == [] && silent.report.itemFailures.isEmpty)
  }
}

private func brokenReadings() -> AsyncThrowingStream<Int, any Error> {
  AsyncThrowingStream { continuation in
    continuation.yield(1)
    continuation.finish(throwing: EmptyWord())
  }
}

private struct EmptyItem: Error, Equatable {
  let index: Int?
}

private final class SilentOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
  static func create() -> FlowOperation { SilentOp() }
  @FlowInput var item: Int
  @FlowOutput var output: Int?
  override func mainLogic() { finishSuccessfully() }
}
