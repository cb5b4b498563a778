import OperationFlowObservation
import TestSupport
import Testing

@testable import OperationFlow
import OperationFlowReports

extension FlowKey where Value == String {
  fileprivate static var target: Self { "target" }
  fileprivate static var secret: Self { FlowKey("secret", sensitive: true) }
}
extension FlowKey where Value == Int {
  fileprivate static var left: Self { "left" }
  fileprivate static var right: Self { "right" }
}

/// Tests parallel branches that are added with the builder.
@Suite(.watched) struct ParallelBranchTests {
  @Test func `branches run at once, hold anything, and the flow goes on behind them`() async {
    let meeting = Meeting(size: 4)
    let flow = Flow().set(.target, to: "web")
      .parallel("work", .weight(2)) {
        $0.branch("group") { $0.forEach(in: 0..<2, width: 2) { _, _ in await meeting.attend() } }
        $0.branch("cases") {
          $0.cases(on: .target) { $0.when("web") { $0.add("web") { _ in await meeting.attend() } } }
        }
        $0.branch("flow") {
          $0.add(
            flow: Flow("inner").parallel("inside") { $0.branch("only") { $0.add("x") { _ in await meeting.attend() } } }
          )
        }
      }
      .add("behind") { _ in }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && meeting.peak == 4)
    #expect(outcome.report.started.last == "[behind]" && RecordCheck(outcome).complaint == nil)
    #expect(
      outcome.report.steps.map { "\($0.path)" } == [
        "1. work", "1. work > group > 1. forEach", "1. work > cases > 1. Cases",
        "1. work > cases > 1. Cases > target=web > 1. web", "1. work > flow > 1. inner",
        "1. work > flow > 1. inner > 1. inside", "1. work > flow > 1. inner > 1. inside > only > 1. x", "2. behind",
      ])
    #expect(outcome.report.steps.allSatisfy { $0.end == .succeeded })
  }

  @Test func `the blueprint shows the branches with their names and steps`() throws {
    let flow = Flow().parallel {
      $0.branch("a") { $0.add("x") { _ in }.add("y") { _ in } }
      $0.branch("b") { $0.addNothing() }
    }
    let step = try #require(flow.blueprint.steps.first)
    #expect(step.kind == .parallel && step.name == "Parallel" && !step.hasCondition)
    #expect(step.branches.map(\.name) == ["a", "b"] && step.branches.allSatisfy { $0.condition == nil })
    #expect(step.branches.map { $0.steps.map(\.name) } == [["x", "y"], []])
  }

  @Test func `a trait names the step, and its weight counts in the progress`() async {
    let (isAtGate, gate) = (Signal(), Signal())
    let flow = Flow()
      .parallel("by parameter", .named("by trait"), .weight(3)) {
        $0.branch("a") { $0.add("x") { _ in } }
        $0.branch("b") { $0.add("y") { _ in } }
      }
      .add("wait") { _ in await isAtGate.fire(thenAwait: gate) }
    let run = flow.start()
    let progress = run.progress
    await isAtGate.wait()
    // Another lane may still be setting the progress.
    while abs(progress.fractionCompleted - 0.75) > 0.001 { await Task.yield() }
    gate.fire()
    let report = await run.outcome.report
    #expect(report.steps[0].name == "by trait" && report.lines.contains("[by trait] DidFinish: successfully"))
  }

  @Test func `when a branch fails, the flow fails with its error, and the report says what became of the others`() async
  {
    let isRunning = Signal()
    let outcome = await Flow()
      .parallel {
        $0.branch("fails") {
          $0.add("bad") { _ in
            await isRunning.wait()
            throw TestError()
          }
          .add("later") { _ in }
        }
        $0.branch("waits") {
          $0.add("long") { context in
            await isRunning.fireUntilCancelled()
            try context.checkCancellation()
          }
        }
      }
      .add("behind") { _ in }.run()
    #expect(outcome.error as? TestError == TestError())
    #expect(outcome.failure?.path == "1. Parallel > fails > 1. bad")
    #expect(outcome.report.steps.map(\.end) == [.failed, .failed, .neverRan, .cancelled, .neverRan])
    #expect(RecordCheck(outcome).complaint == nil)
  }

  @Test func `if no case matches in a branch, only that branch ends`() async {
    let outcome = await Flow().set(.target, to: "film")
      .parallel {
        $0.branch("early") {
          $0.cases(on: .target) { $0.when("web") { $0.add("web") { _ in } } }.add("skipped") { _ in }
        }
        $0.branch("whole") { $0.add("done") { _ in } }
      }
      .add("behind") { _ in }.run()
    #expect(outcome.isSuccess && Set(outcome.report.started) == ["[Parallel]", "[done]", "[behind]"])
    let early = outcome.report.earlyEnds.first
    #expect(early?.ended == "1. Parallel > early")
    #expect(early?.skipped.map { "\($0)" }.last == "1. Parallel > early > 2. skipped")
  }

  @Test func `what a branch marks as sensitive is hidden in the whole run`() async {
    let flow = Flow().set("word", to: "hunter2").parallel {
      $0.branch("a") { $0.markSensitive("word").add("x", .writes(.secret)) { $0[.secret] = "tr0ub4dor" } }
      $0.branch("b") { $0.add("y") { _ in } }
    }
    let summary = await flow.run().report.summary
    #expect(!summary.contains("hunter2") && !summary.contains("tr0ub4dor") && summary.contains("<redacted>"))
  }

  @Test func `it can be paused, and cancelled`() async {
    let (running, gate) = (Tally(), Signal())
    let flow = Flow().parallel {
      for name in ["a", "b"] {
        $0.branch(name) {
          $0.add("first") { _ in await running.add(thenAwait: gate) }
            .add("second") { _ in }
        }
      }
    }
    let run = flow.start()
    await running.reach(2)
    run.pause()
    gate.fire()
    run.cancel()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && RecordCheck(outcome).complaint == nil)
    #expect(outcome.report.steps.first?.end == .cancelled)
    #expect(!outcome.report.started.contains("[second]"))
  }

  @Test func `an operation object in a branch runs once, in Flow-iOS's style as well`() async {
    let flow = Flow().setDataBucket(dataBucket: ["target": "A"])
      .parallel {
        $0.branch("old") {
          $0.add(operation: BlockOp("a"), flowCase: FlowCase(key: "target", value: "A"))
            .add(operation: BlockOp("b"), flowCase: .otherwise).combine().add(operation: BlockOp("c"))
        }
        $0.branch("new") { $0.step("d") }
      }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && Set(outcome.report.started) == ["[Parallel]", "[a]", "[c]", "[d]"])
    #expect(await flow.run().code == .operationUsedTwice)
  }

  @Test func `values of both branches are there behind them`() async {
    let report = await Flow()
      .parallel {
        $0.branch("left") { $0.add("l", .writes(.left)) { $0[.left] = 1 } }
        $0.branch("right") { $0.add("r", .writes(.right)) { $0[.right] = 2 } }
      }
      .add("sum", .reads(.left, .right), .writes("sum" as FlowKey<Int>)) {
        $0["sum"] = try $0.require(.left) + $0.require(.right)
      }
      .run().report
    #expect(report["sum" as FlowKey<Int>] == 3)
  }

  @Test func `the record keeps the share of each group that runs at the same time, in the order of what was decided`()
    async throws
  {
    let (left, right) = (FlowKey<[Int]>("left"), FlowKey<[Int]>("right"))
    let flow = Flow().recording(.bounded(first: 10, last: 6)).parallel("both") {
      $0.branch("left") { $0.forEach(in: 0..<500, into: left, width: 2) { item, _ in item } }
      $0.branch("right") { $0.forEach(in: 0..<500, into: right, width: 2) { item, _ in item } }
    }
    let report = await flow.run().report
    let events = report.events
    #expect(report[left] == Array(0..<500) && report[right] == Array(0..<500))
    #expect(events.map(\.number) == events.map(\.number).sorted())
    for path in ["1. both > left > 1. forEach", "1. both > right > 1. forEach"] as [FlowPath] {
      // The group's write at its end is one of its last events.
      let kept = events.filter { $0.path == path && ($0.source.item != nil || $0.source == .dataBucket) }
      #expect(kept.count == 16, "\(path)")
      let left = events.compactMap { event -> Int? in
        if case .leftOut(let count, _) = event.kind, event.path == path { count } else { nil }
      }
      #expect(left == [1_001 - 16], "\(path)")
    }
  }
}
