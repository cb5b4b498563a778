import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

/// Failures of steps, items and attempts reach log handlers, each once.
@Suite(.watched) struct FailureLineTests {
  /// Runs a flow, and returns what its handler was sent.
  private func lines(of flow: Flow, from level: FlowLogLevel = .info) async -> [FlowLogLine] {
    let lines = Journal<FlowLogLine>()
    _ = await flow.sendLog(to: .closure { lines.append($0) }, from: level).run()
    return lines.entries
  }

  private func texts(_ lines: [FlowLogLine]) -> [String] { lines.map { "\($0.level) \($0.source) \($0.message)" } }

  @Test func `a step that fails is one line, with its path and its error`() async throws {
    let lines = await lines(of: Flow("Mine").add("works") { _ in }.add("fails") { _ in throw TestError() })
    #expect(texts(lines) == ["error [fails] failed: TestError(test)"])
    let line = try #require(lines.first)
    #expect(line.path == "2. fails" && line.attempt == 1 && line.error == "TestError(test)" && line.source.item == nil)
  }

  @Test func `of a flow in a flow, only the step that failed is a line`() async throws {
    let inner = Flow("Inner").add("fails") { _ in throw TestError() }
    let lines = await lines(of: Flow("Outer").add(flow: inner))
    #expect(texts(lines) == ["error [fails] failed: TestError(test)"])
    let path = try #require(lines.first?.path)
    #expect(path.description.hasSuffix("fails") && path.description.contains("Inner"))
  }

  @Test func `of branches that run at once, only the step that failed is a line`() async {
    let started = Signal()
    let flow = Flow().addParallel(
      "both",
      [
        "fails": Flow().add("fails") { _ in
          await started.wait()
          throw TestError()
        },
        "goes on": Flow().add(
          flow: Flow("Inner").add("waits") { _ in
            await started.fireUntilCancelled()
          }),
      ])
    #expect(texts(await lines(of: flow)) == ["error [fails] failed: TestError(test)"])
  }

  @Test(arguments: [FlowTolerance.none, .failures(1), .all])
  func `each item that fails is one line, tolerated or not`(tolerance: FlowTolerance) async {
    let flow = Flow().forEach(in: 0..<4, width: 1, tolerating: tolerance) { item, _ in
      if item > 1 { throw TestError(name: "\(item)") }
    }
    let lines = await lines(of: flow)
    let failures = ["error [forEach #2] failed: TestError(2)", "error [forEach #3] failed: TestError(3)"]
    #expect(texts(lines) == Array(failures.prefix(tolerance == .none ? 1 : 2)))
    #expect(lines.map(\.source.item) == Array([2, 3].prefix(lines.count)))
    #expect(lines.allSatisfy { $0.path == "1. forEach" })
  }

  @Test func `a group that can't find its items is a line of its own`() async {
    let lines = await lines(of: Flow().add("some step") { _ in }.forEach(FlowKey<[Int]>("numbers")) { _, _ in })
    #expect(lines.count == 1 && lines.first?.level == .error)
    #expect(lines.first?.error?.contains("can't find <numbers> in data bucket") == true)
  }

  @Test func `a sequence that throws is a line of its group`() async {
    let numbers = AsyncThrowingStream<Int, any Error> { continuation in
      continuation.yield(1)
      continuation.finish(throwing: TestError())
    }
    let lines = await lines(of: Flow().forEach(in: numbers) { _, _ in })
    #expect(lines.map(\.error) == ["TestError(test)"] && lines.first?.level == .error)
    #expect(lines.first?.path == "1. forEach" && lines.first?.source.item == nil)
  }

  @Test func `an operation that lacks data is a line with what it lacks`() async {
    let flow = Flow().step("first").step("reads") { operation in
      // A read that fails has finished the operation.
      let _: String? = operation.getData(name: "email")
    }
    let lines = await lines(of: flow)
    #expect(texts(lines) == ["error [reads] failed: can't find <email> in data bucket"])
  }

  @Test func `an attempt that another one follows is a warning, and the last failure an error`() async {
    let flow = Flow().add("broken", .retry(.attempts(3))) { throw TestError(name: "\($0.attempt)") }
    let lines = await lines(of: flow)
    #expect(
      texts(lines) == [
        "warning [broken] attempt 1 failed, trying again: TestError(1)",
        "warning [broken] attempt 2 failed, trying again: TestError(2)", "error [broken] failed: TestError(3)",
      ])
    #expect(lines.map(\.attempt) == [1, 2, 3] && lines.map(\.error) == (1...3).map { "TestError(\($0))" })
  }

  @Test func `a handler from errors on hears nothing of attempts that end well`() async {
    let flow = Flow().add("flaky", .retry(.attempts(3))) { context in
      if context.attempt < 3 { throw TestError() }
    }
    #expect(await lines(of: flow, from: .error).isEmpty)
  }

  @Test func `an attempt that takes too long says so, and which follows`() async throws {
    let (lines, clock) = (Journal<FlowLogLine>(), ManualClock())
    let flow = Flow().sendLog(to: .closure { lines.append($0) })
      .add("waits", .retry(.attempts(2)), .timeout(.seconds(5))) { _ in
        await clock.withoutHoldingTime { await untilCancelled() }
      }
    try await flow.run(on: clock).expectFailure(of: FlowError.self, in: "waits")
    #expect(lines.entries.map(\.level) == [.warning, .error] && lines.entries.map(\.attempt) == [1, 2])
    #expect(lines.entries.allSatisfy { $0.error?.contains("it took longer than") == true })
  }

  @Test func `a cancelled run retries nothing, and none of its attempts is a line`() async {
    let lines = Journal<FlowLogLine>()
    let started = Signal()
    let run = Flow().sendLog(to: .closure { lines.append($0) })
      .add("waits", .retry(.attempts(9))) { _ in
        await started.fireUntilCancelled()
        throw CancellationError()
      }
      .start()
    let report = await run.outcome(cancelledAfter: started).report
    #expect(lines.entries.isEmpty && report.events.allSatisfy { !$0.isRetried })
  }

  @Test func `a flow that is refused is one line of the flow`() async {
    let flow = Flow("Mine").add("reads", .reads(FlowKey<String>("email")), .writesNothing) { _ in }
    let lines = await lines(of: flow)
    #expect(lines.count == 1 && lines.first?.path == nil && lines.first?.source.description == "[Mine]")
    #expect(lines.first?.level == .error && lines.first?.error?.contains("<email>") == true)
  }

  @Test func `no line shows a sensitive value`() async {
    let password = FlowKey<Int>("password", sensitive: true)
    let flow = Flow().setDataBucket(dataBucket: ["password": "s3cret"])
      .add("hides nothing") { _ in }
      .add("reads") { context in _ = try context.require(password) }
    let lines = await lines(of: flow, from: .debug)
    #expect(lines.count == 1 && lines.first?.error?.contains("<password>") == true)
    #expect(!lines.contains { "\($0)".contains("s3cret") })
  }

  @Test func `a record says which attempt another one followed`() async {
    let flow = Flow().add("flaky", .retry(.attempts(3))) { context in
      if context.attempt < 2 { throw TestError() }
    }
    let events = await flow.run().report.events
    #expect(events.map(\.isRetried).filter(\.self).count == 1)
    #expect(events.first(where: \.isRetried)?.kind == .finished(.withError("TestError(test)")))
    #expect(events.first(where: \.isRetried)?.attempt == 1)
  }
}
