import Foundation
import OperationFlow
import OperationFlowReports
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct DiagnosisTests {
  /// Returns the lines without the times.
  private func lines(_ run: FlowRun) -> [String] {
    run.diagnosis().description.split(separator: "\n").map {
      String($0).withoutDurations(behind: " for | ")
    }
  }

  @Test func `it says which operation is still expected to finish`() async {
    let isWaiting = Signal()
    let run = Flow("mine").step("download") {
      $0.startWithAsynchronous()
      isWaiting.fire()
    }.start()
    await isWaiting.wait()
    #expect(
      lines(run) == [
        "mine: under way, last event ago",
        "  1. BlockOp is asynchronous and hasn't finished,",
      ])
    run.cancel()
    _ = await run.outcome
    #expect(run.diagnosis().hasEnded && run.diagnosis().waiting.isEmpty && lines(run) == ["mine: has ended"])
  }

  @Test func `it names a step that was cancelled and has not ended`() async {
    let (reached, mayEnd) = (Signal(), Signal())
    let run = Flow("mine").add("busy") { _ in await reached.fire(thenAwait: mayEnd) }.start()
    await reached.wait()
    #expect(lines(run).dropFirst() == ["  1. busy runs,"] && run.waitingFor.map(\.isCancelled) == [false])
    run.cancel()
    #expect(lines(run).dropFirst() == ["  1. busy was cancelled, and hasn't ended,"])
    #expect(run.waitingFor.map(\.isCancelled) == [true])
    mayEnd.fire()
    _ = await run.outcome
  }

  @Test func `it says what waits for its next attempt, and since when`() async throws {
    let clock = ManualClock()
    let flow = Flow("mine").add("ask", .retry(.attempts(2, delay: .seconds(10)))) { context in
      if context.attempt == 1 { throw TestError() }
    }
    let run = flow.clock(clock).start()
    while run.waitingFor.first?.reason != .nextAttempt { await Task.yield() }
    await clock.advance(by: .seconds(4))
    #expect(
      run.diagnosis().description
        == "mine: under way for 4 s, last event 4 s ago\n  1. ask, attempt 2 waits before its next attempt, for 4 s")
    await clock.advance(by: .seconds(6))
    #expect(await run.outcome.isSuccess)
  }

  @Test func `it says what an operation depends on, and that a run is paused`() async {
    let (outside, operation) = (BlockOp(), NoticedOp())
    outside.name = "the other\none"
    operation.addDependency(outside)
    let run = Flow("mine").add(operation: operation).start()
    while run.waitingFor.first?.reason != .dependencies { await Task.yield() }
    run.pause()
    #expect(
      lines(run).dropFirst() == [
        "  1. NoticedOp waits for operations that it depends on: the other\\none,",
        "  The run is paused, so nothing new begins. Call resume() to continue.",
      ])
    outside.start()
    run.resume()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `a warning comes once when nothing has happened for the time, and again after something has`() async throws
  {
    let clock = ManualClock()
    let (isWaiting, mayLog, mayEnd) = (Signal(), Signal(), Signal())
    let run = Flow("mine").clock(clock).quietWarning(after: .seconds(30)).add("hangs") { context in
      await isWaiting.fire(thenAwait: mayLog)
      context.log("alive")
      await mayEnd.wait()
    }.start()
    await isWaiting.wait()
    func warnings(_ count: Int) async -> [String] {
      var found: [String] = []
      for await event in run.events {
        if case .warned(let text) = event.kind { found.append(text) }
        if found.count == count { return found }
      }
      return found
    }
    await clock.untilSleeping()
    await clock.advance(by: .seconds(31))
    let first = try #require(await warnings(1).first)
    #expect(first == "nothing has happened for 30 s. 1. hangs runs, for 30 s.")
    await clock.untilSleeping()
    await clock.advance(by: .seconds(31))
    mayLog.fire()
    while !run.record.events.contains(where: { $0.kind == .logged("alive", .info) }) { await Task.yield() }
    await clock.untilSleeping()
    await clock.advance(by: .seconds(31))
    #expect(await warnings(2).count == 2)
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
    #expect(await Flow().quietWarning(after: .zero).add("x") { _ in }.run().error != nil)
  }

  @Test func `it hides the values in names that the record hides, and so does what is waited for`() async {
    let (isWaiting, mayEnd) = (Signal(), Signal())
    let run = Flow("as tk-123456").setData(name: "token", value: "tk-123456").add("log in as tk-123456") { _ in
      await isWaiting.fire(thenAwait: mayEnd)
    }.start()
    await isWaiting.wait()
    #expect(run.waitingFor.map { $0.source.name } == ["log in as <redacted>"])
    #expect(run.waitingFor.map { $0.path?.description } == ["1. log in as <redacted>"])
    #expect(!"\(run.diagnosis())\(run.waitingFor)".contains("tk-123456"))
    mayEnd.fire()
    _ = await run.outcome
    #expect(run.diagnosis().flowName == "as <redacted>")
  }

  @Test func `it hides the value of a sensitive name that chose a branch`() async {
    let (isWaiting, mayEnd) = (Signal(), Signal())
    let run = Flow("mine").setData(name: "token", value: "tk-123456").cases(on: "token") {
      $0.when("tk-123456") {
        $0.add("wait") { _ in await isWaiting.fire(thenAwait: mayEnd) }
      }
    }.start()
    await isWaiting.wait()
    #expect(run.waitingFor.map { $0.path?.description } == ["1. Cases > token=<redacted> > 1. wait"])
    #expect(!run.diagnosis().description.contains("tk-123456"))
    mayEnd.fire()
    _ = await run.outcome
  }
}
