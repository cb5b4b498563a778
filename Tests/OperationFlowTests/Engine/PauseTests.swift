import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct PauseTests {
  /// A run of two steps, the first of which waits for a signal.
  private struct Pair {
    let hasBegun = Signal()
    let mayEnd = Signal()
    let trail = Journal<String>()
    let run: FlowRun

    init() {
      let (hasBegun, mayEnd, trail) = (hasBegun, mayEnd, trail)
      run = Flow()
        .add("first") { _ in
          trail.append("first")
          await hasBegun.fire(thenAwait: mayEnd)
        }
        .add("second") { _ in trail.append("second") }
        .start()
    }

    /// Waits until the first step's end is recorded.
    func firstToEnd() async {
      for await event in run.events {
        if event.source.name == "first", case .finished = event.kind { return }
      }
    }
  }

  @Test func `no new step starts while paused, and what runs goes on`() async {
    let pair = Pair()
    await pair.hasBegun.wait()
    pair.run.pause()
    #expect(pair.run.isPaused)
    pair.mayEnd.fire()
    await pair.firstToEnd()
    for _ in 0..<100 { await Task.yield() }
    #expect(pair.trail.entries == ["first"])
    #expect(pair.run.currentOutcome == nil)
    pair.run.resume()
    #expect(!pair.run.isPaused)
    let outcome = await pair.run.outcome
    #expect(outcome.isSuccess)
    #expect(pair.trail.entries == ["first", "second"])
    let lines = outcome.report.lines
    #expect(lines.filter { $0.hasPrefix("[Flow]") } == ["[Flow] pause", "[Flow] resume"])
  }

  @Test func `a paused run can be cancelled`() async {
    let pair = Pair()
    await pair.hasBegun.wait()
    pair.run.pause()
    pair.mayEnd.fire()
    await pair.firstToEnd()
    pair.run.cancel()
    let outcome = await pair.run.outcome
    #expect(outcome.isCancelled && pair.trail.entries == ["first"])
  }

  @Test func `pausing and resuming twice are recorded once, and after the end not at all`() async {
    let pair = Pair()
    await pair.hasBegun.wait()
    pair.run.resume()
    pair.run.pause()
    pair.run.pause()
    pair.run.resume()
    pair.run.resume()
    pair.mayEnd.fire()
    let outcome = await pair.run.outcome
    pair.run.pause()
    #expect(!pair.run.isPaused)
    #expect(outcome.report.events.count { $0.kind == .paused } == 1)
    #expect(outcome.report.events.count { $0.kind == .resumed } == 1)
    #expect(await pair.run.events.reduce(0) { count, _ in count + 1 } == outcome.report.events.count)
  }

  @Test func `a run that is paused before it begins starts nothing until it is resumed`() async {
    let (hasRun, didBlock) = (Signal(), Signal())
    let run = await MainActor.run {
      // The block waits for the main actor, which this closure occupies.
      let run = Flow().setWillStartBlock { _ in didBlock.fire() }.add("step") { _ in hasRun.fire() }.start()
      run.pause()
      return run
    }
    await didBlock.wait()
    for await event in run.events {
      if case .flowStarted = event.kind { break }
    }
    for _ in 0..<100 { await Task.yield() }
    #expect(!hasRun.isOn)
    run.resume()
    #expect(await run.outcome.isSuccess)
    #expect(hasRun.isOn)
  }

  @Test func `a run that is paused and cancelled before it begins runs nothing`() async {
    let run = await MainActor.run {
      let run = Flow().setWillStartBlock { _ in }.add("step") { _ in fail("ran") }.start()
      run.pause()
      run.cancel()
      return run
    }
    #expect(await run.outcome.isCancelled)
  }

  @Test func `no new item of a group starts while paused`() async {
    let (begun, mayEnd, ended) = (Meeting(size: 2), Signal(), Tally())
    let run = Flow().forEach(in: 0..<10, width: 2) { index, _ in
      if index < 2 {
        await begun.attend()
        await mayEnd.wait()
      }
      ended.add()
    }.start()
    await begun.reach(2)
    run.pause()
    mayEnd.fire()
    await ended.reach(2)
    for _ in 0..<100 { await Task.yield() }
    #expect(ended.count == 2)
    run.resume()
    #expect(await run.outcome.isSuccess)
    #expect(ended.count == 10)
  }

  @Test func `an item that comes while paused waits, and is not lost`() async {
    let (stream, items) = AsyncStream.makeStream(of: Int.self)
    let isFirst = Signal()
    let starts = Tally()
    let run = Flow().observe { if $0.kind == .started { starts.add() } }
      .forEach(in: stream, into: "out" as FlowKey<[Int]>, width: 2) { item, _ in
        isFirst.fire()
        return item
      }.start()
    items.yield(1)
    await isFirst.wait()
    run.pause()
    items.yield(2)
    items.finish()
    for _ in 0..<100 { await Task.yield() }
    #expect(starts.count == 1)
    run.resume()
    #expect(await run.outcome.report["out" as FlowKey<[Int]>] == [1, 2])
  }
}
