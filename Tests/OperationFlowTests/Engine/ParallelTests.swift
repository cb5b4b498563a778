import Testing

@testable import OperationFlow

/// What a run does with parallel branches.
@Suite(.watched) struct ParallelTests {
  private func branch(_ body: @escaping @Sendable (FlowContext) async throws -> Void) -> Flow {
    Flow().add("work", body)
  }

  @Test func `branches are at work at the same time, and meet`() async {
    let meeting = Meeting(size: 3)
    let flow = Flow().step()
      .addParallel(
        "all",
        [
          "a": branch { _ in await meeting.attend() }, "b": branch { _ in await meeting.attend() },
          "c": branch { _ in await meeting.attend() },
        ]
      )
      .add("after") { _ in }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && meeting.peak == 3)
    #expect(outcome.report.started.last == "[after]" && outcome.report.stepCount == 6)
    #expect(RecordCheck(outcome).complaint == nil)
  }

  @Test func `groups in several branches run at once, each with its own items and outputs`() async {
    let meeting = Meeting(size: 4)
    let (left, right) = (FlowKey<[Int]>("left"), FlowKey<[Int]>("right"))
    let flow = Flow().addParallel(
      "both",
      [
        "left": Flow().forEach(in: 0..<2, into: left, width: 2) { item, _ in
          await meeting.attend()
          return item
        },
        "right": Flow().forEach(in: 10..<12, into: right, width: 2) { item, _ in
          await meeting.attend()
          return item
        },
      ])
    let report = await flow.run().report
    #expect(meeting.peak == 4)
    #expect(report[left] == [0, 1] && report[right] == [10, 11])
  }

  @Test func `when a branch fails, the others are cancelled and waited for, and the first error counts`() async {
    let isRunning = Signal()
    let flow = Flow().addParallel(
      "both",
      [
        "fails": branch { _ in
          await isRunning.wait()
          throw TestError()
        },
        "waits": branch { context in
          isRunning.fire()
          await untilCancelled()
          #expect(context.isCancelled)
          try context.checkCancellation()
        },
      ]
    ).add("after") { _ in }
    let outcome = await flow.run()
    #expect(outcome.error as? TestError == TestError())
    #expect(!outcome.report.started.contains("[after]"))
    #expect(RecordCheck(outcome).complaint == nil)
  }

  @Test func `no matching case ends the branch, and no other`() async {
    let flow = Flow().set("target", to: "x")
      .addParallel(
        "both",
        [
          "left": Flow().cases(on: "target") { $0.when("a") { $0.step() } }.add("skipped") { _ in },
          "right": Flow().add("taken") { _ in },
        ]
      ).add("after") { _ in }
    let outcome = await flow.run()
    #expect(outcome.isSuccess)
    #expect(outcome.report.started.contains("[taken]") && outcome.report.started.last == "[after]")
    #expect(!outcome.report.started.contains("[skipped]"))
  }

  @Test func `the progress is the sum of the branches`() async {
    let (mayGoOn, isHalf) = (Signal(), Signal())
    let flow = Flow().addParallel(
      "both", ["left": Flow().add("left") { _ in isHalf.fire() }, "right": branch { _ in await mayGoOn.wait() }])
    let run = flow.start()
    let progress = run.progress
    await isHalf.wait()
    for await event in run.events where event.kind == .finished(.successfully) { break }
    // It is set after the event was delivered.
    while progress.fractionCompleted < 0.5 { await Task.yield() }
    #expect(progress.fractionCompleted < 1)
    mayGoOn.fire()
    _ = await run.outcome
    #expect(progress.fractionCompleted == 1)
  }

  @Test func `the record keeps the share of each group that runs at the same time, in the order of what was decided`()
    async throws
  {
    let (left, right) = (FlowKey<[Int]>("left"), FlowKey<[Int]>("right"))
    let flow = Flow().recording(.bounded(first: 10, last: 6)).addParallel(
      "both",
      [
        "left": Flow().forEach(in: 0..<500, into: left, width: 2) { item, _ in item },
        "right": Flow().forEach(in: 0..<500, into: right, width: 2) { item, _ in item },
      ])
    let events = await flow.run().report.events
    #expect(events.map(\.number) == events.map(\.number).sorted())
    for path in ["1. both > left > 1. forEach", "1. both > right > 1. forEach"] as [FlowPath] {
      // What the group writes at its end is one of its last events.
      let kept = events.filter { $0.path == path && ($0.source.item != nil || $0.source == .dataBucket) }
      #expect(kept.count == 16, "\(path)")
      let left = events.compactMap { event -> Int? in
        if case .leftOut(let count, _) = event.kind, event.path == path { count } else { nil }
      }
      #expect(left == [1_001 - 16], "\(path)")
    }
  }

  @Test func `a branch without steps ends at once`() async {
    let flow = Flow().addParallel("one", ["empty": Flow().addNothing()]).add("after") { _ in }
    let outcome = await flow.run()
    #expect(outcome.isSuccess && outcome.report.started == ["[one]", "[after]"])
  }

  @Test func `cancelling ends all branches, and steps with others in them have their end in the record`() async {
    let running = Tally()
    let waiting = Flow("inner").add("wait") { _ in
      running.add()
      await untilCancelled()
    }
    let flow = Flow().addParallel("both", ["left": Flow().add(flow: waiting), "right": Flow().add(flow: waiting)])
    let run = flow.start()
    await running.reach(2)
    run.cancel()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && RecordCheck(outcome).complaint == nil)
  }
}
