import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

extension FlowReport {
  /// The end of each step, a line each.
  fileprivate var ends: [String] { steps.map { "\($0.path): \($0.end)" } }

  /// The items of the first group.
  fileprivate var firstItems: Items? { steps.lazy.compactMap(\.items).first }
}

extension FlowKey where Value == [Int] {
  fileprivate static var doubled: Self { "doubled" }
}

@Suite(.watched) struct StepReportTests {
  static let recordings: [FlowRecording] = [.everything, .standard, .bounded(first: 0, last: 0), .none]

  private func counts(_ items: FlowReport.Items?) -> [Int?] {
    [items?.total, items?.succeeded, items?.failed, items?.cancelled, items?.neverStarted]
  }

  @Test(arguments: recordings) func `what became of each step does not depend on the record`(
    recording: FlowRecording
  ) async {
    let inner = Flow("inner").add("x") { _ in throw TestError() }.add("y") { _ in }
    let outcome = await Flow().recording(recording).set("target", to: "web")
      .add("a") { _ in }
      .cases(on: "target") {
        $0.when("print") { $0.add("p") { _ in } }
        $0.when("web") { $0.add("w") { _ in } }
        $0.otherwise { $0.add(flow: Flow("deep").add("o") { _ in }) }
      }
      .forEach(in: 0..<3) { _, _ in }
      .add(flow: inner)
      .add("z") { _ in }
      .run()
    #expect(
      outcome.report.ends == [
        "1. a: succeeded", "2. Cases: succeeded", "2. Cases > target=print > 1. p: skipped",
        "2. Cases > target=web > 1. w: succeeded", "2. Cases > otherwise > 1. deep: skipped",
        "2. Cases > otherwise > 1. deep > 1. o: skipped", "3. forEach: succeeded", "4. inner: failed",
        "4. inner > 1. x: failed", "4. inner > 2. y: neverRan", "5. z: neverRan",
      ])
    let kinds = outcome.report.steps.map(\.kind)
    #expect(kinds.prefix(2) == [.closure(isAsynchronous: false), .cases] && kinds[7] == .flow)
    #expect(outcome.report.failure?.path == "4. inner > 1. x")
  }

  @Test(arguments: recordings) func `every item is counted, whatever is recorded`(recording: FlowRecording) async {
    let outcome = await Flow().recording(recording)
      .forEach(in: 0..<3_000, width: 3, tolerating: .all) { index, _ in
        if index % 1_000 == 7 { throw TestError() }
        if index % 1_000 == 8 { throw CancellationError() }
      }
      .run()
    #expect(counts(outcome.report.firstItems) == [3_000, 2_994, 3, 3, 0])
    #expect("\(outcome.report.firstItems as Any)".contains("2994 of 3000 succeeded, 3 failed, 3 cancelled"))
  }

  @Test func `of a group that stops, the items that never started are counted`() async {
    let meeting = Meeting(size: 3)
    let outcome = await Flow().set(.numbers, to: Array(0..<100))
      .forEach(.numbers, width: 3) { index, _ in
        await meeting.attend()
        if index == 1 { throw TestError() }
        await untilCancelled()
        try Task.checkCancellation()
      }
      .run()
    #expect(counts(outcome.report.firstItems) == [100, 0, 1, 2, 97])
    #expect(outcome.report.steps.map(\.end) == [.failed])
  }

  @Test func `of a sequence that is not read to its end, the total is not known`() async {
    let outcome = await Flow().forEach(in: 0..<100, width: 1) { index, _ in if index == 5 { throw TestError() } }.run()
    #expect(counts(outcome.report.firstItems) == [nil, 5, 1, 0, nil])
    let whole = await Flow().forEach(in: 0..<100, width: 1, tolerating: .all) { index, _ in
      if index == 5 { throw TestError() }
    }.run()
    #expect(counts(whole.report.firstItems) == [100, 99, 1, 0, 0])
  }

  @Test func `a group whose items were never found has no counts`() async {
    let outcome = await Flow().add("hide") { _ in }.forEach(.numbers) { _, _ in }.run()
    #expect(outcome.report.firstItems == nil)
    #expect(outcome.report.ends == ["1. hide: succeeded", "2. numbers: failed"])
  }

  @Test func `a cancelled run tells what it had done`() async {
    let hasBegun = Signal()
    let run = Flow().recording(.none).add("a") { _ in }
      .add(
        flow: Flow("inner").add("b") { _ in
          await hasBegun.fireUntilCancelled()
          try Task.checkCancellation()
        }
      ).add("c") { _ in }.start()
    let report = await run.outcome(cancelledAfter: hasBegun).report
    #expect(
      report.ends == ["1. a: succeeded", "2. inner: cancelled", "2. inner > 1. b: cancelled", "3. c: neverRan"])
  }

  @Test func `durations are those of the steps`() async throws {
    let clock = ManualClock()
    let outcome = await Flow().add("sleeps") { _ in try await clock.sleep(for: .seconds(3)) }
      .add("short") { _ in }.add("last") { _ in throw TestError() }.add("never") { _ in }.run(on: clock)
    #expect(outcome.report.steps.map(\.duration) == [.seconds(3), .zero, .zero, nil])
  }

  @Test func `a refused flow ran nothing`() async {
    let outcome = await Flow().add("a") { _ in }.forEach(in: [1], width: 0) { _, _ in }.run()
    #expect(outcome.report.ends == ["1. a: neverRan", "2. forEach: neverRan"])
    #expect(outcome.report.failure?.isRefusal == true && outcome.report.failure?.path == "2. forEach")
  }

  @Test func `what a long or deep flow did is found without recursion`() async {
    var flow = Flow("deepest").add("end") { _ in throw TestError() }
    for depth in 0..<300 { flow = Flow("\(depth)").add(flow: flow).add("after") { _ in } }
    let steps = await flow.run().report.steps
    #expect(steps.count == 601)
    #expect(steps.count { $0.end == .neverRan } == 300 && steps.count { $0.end == .failed } == 301)
  }
}

@Suite(.watched) struct PartialOutputTests {
  private func report(_ flow: Flow) async -> FlowReport { await flow.run().report }

  @Test func `what the items of a failed group left can be had`() async {
    let array = Flow().set(.numbers, to: [1, 2, 3, 4]).forEach(.numbers, into: .doubled, width: 1) { item, _ in
      if item == 3 { throw TestError() }
      return item * 2
    }
    let sequence = Flow().forEach(in: 1...4, into: .doubled, width: 1) { item, _ in
      if item == 3 { throw TestError() }
      return item * 2
    }
    for flow in [array, sequence] {
      let report = await report(flow)
      #expect(report[.doubled] == nil)
      #expect(report.partialOutputs(.doubled) == [0: 2, 1: 4])
      #expect(report.partialOutputs("other" as FlowKey<[Int]>).isEmpty)
      #expect(report.steps.first?.partialOutputs[1] as? Int == 4)
    }
  }

  @Test func `what can't be collected can be had all the same`() async {
    let work = Work { operation in
      operation.setData(name: "output", value: "text")
      operation.finishSuccessfully()
    }
    let flow = Flow().set("works" as FlowKey<[Work]>, to: [work])
      .forEach("works" as FlowKey<[Work]>, into: .doubled, run: WorkOp.self)
    let report = await report(flow)
    #expect(report.failure?.name == "[works]" && report.steps.first?.end == .failed)
    #expect(report.steps.first?.partialOutputs[0] as? String == "text")
    #expect(report.steps.first?.items?.succeeded == 1)
  }

  @Test func `a group that succeeds has its outputs in the bucket alone`() async {
    let report = await report(Flow().forEach(in: 1...4, into: .doubled) { item, _ in item })
    #expect(report.partialOutputs(.doubled).isEmpty && report[.doubled] == [1, 2, 3, 4])
  }
}
