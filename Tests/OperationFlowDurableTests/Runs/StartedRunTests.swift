import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import TestSupport
import Testing

/// The run of `start(id:in:)` while its journal is opened, and while it is restored and performed.
@Suite(.watched) struct StartedRunTests {
  private let done: FlowKey<[Int]> = "done"

  /// Returns a flow of two steps that append their numbers to `done`.
  private func counting(_ wait: (@Sendable () async -> Void)? = nil) -> Flow {
    Flow("Counting")
      .add("first", .writes(done)) { context in context[done] = [1] }
      .add("second", .writes(done)) { context async in
        await wait?()
        context.update(done, default: []) { $0.append(2) }
      }
  }

  /// Returns a store whose journals open only after the test has inspected the run.
  private func slowStore(_ door: Gate, _ opens: Signal, journals: [String: [Data]] = [:]) -> HookedStore {
    HookedStore(journals) { hooks in
      hooks.opening = {
        opens.fire()
        door.pass()
      }
    }
  }

  @Test func `a run is there before its journal is, and waits for nothing else`() async {
    let (door, opens) = (Gate(), Signal())
    let run = counting().start(id: "a", in: slowStore(door, opens))
    await opens.wait()
    #expect(run.waitingFor.map(\.reason) == [.opening])
    #expect(run.waitingFor.first?.source.name == "Counting" && run.currentOutcome == nil && !run.isPaused)
    #expect(run.record.steps.map(\.name) == ["first", "second"] && run.diagnosis().waiting.count == 1)
    door.open()
    let outcome = await run.outcome
    #expect(
      outcome.isSuccess && outcome.report[done] == [1, 2] && run.bucket[done] == [1, 2] && run.waitingFor.isEmpty)
  }

  @Test func `a subscriber that is there before the journal receives every event`() async {
    let (door, opens) = (Gate(), Signal())
    let run = counting().start(id: "a", in: slowStore(door, opens))
    let events = run.events
    await opens.wait()
    let received = Task {
      var kinds: [FlowEvent.Kind] = []
      for await event in events { kinds.append(event.kind) }
      return kinds
    }
    door.open()
    _ = await run.outcome
    let kinds = await received.value
    #expect(kinds.filter { $0 == .started }.count == 2 && kinds.first == .flowStarted([]))
  }

  @Test func `a run that is cancelled before its journal is there begins only to end`() async {
    let (door, opens) = (Gate(), Signal())
    let store = slowStore(door, opens)
    let run = counting().start(id: "a", in: store)
    await opens.wait()
    run.cancel()
    door.open()
    let outcome = await run.outcome
    #expect(outcome.isCancelled && outcome.report.stepCount == 0)
    #expect(await counting().run(id: "a", in: store.memory).hadEnded)
  }

  @Test func `a resumed run that is cancelled before its journal is there is undone, and begins no step`() async throws
  {
    let (begun, undone) = (Tally(), Tally())
    let flow = {
      Flow("Counting")
        .add("first", .undo { _ in undone.add() }) { _ in }
        .add("second") { _ async in begun.add() }
    }
    let cut = try await flow().cut(settled: 1)
    let before = begun.count
    // Many rounds: a step that wrongly begins at this moment would be seen only now and then.
    for round in 1...50 {
      let (door, opens) = (Gate(), Signal())
      let run = flow().start(id: "a", in: slowStore(door, opens, journals: cut.journals))
      await opens.wait()
      run.cancel()
      door.open()
      #expect(await run.outcome.isCancelled && undone.count == round && begun.count == before)
    }
  }

  @Test func `a run that continues while its journal is opened isn't paused afterwards`() async {
    for _ in 1...50 {
      let (door, opens) = (Gate(), Signal())
      let run = counting().start(id: "a", in: slowStore(door, opens))
      await opens.wait()
      run.pause()
      door.open()
      run.resume()
      #expect(await run.outcome.isSuccess && !run.isPaused)
    }
  }

  @Test func `a pause before the journal is there holds the first step back`() async {
    let (door, opens) = (Gate(), Signal())
    let began = Signal()
    let run = Flow("Paused").add("step") { _ in began.fire() }.observe { event in
      if event.kind == .paused { began.fire() }
    }.start(id: "a", in: slowStore(door, opens))
    await opens.wait()
    run.pause()
    #expect(run.isPaused)
    door.open()
    // The record contains the pause before the step begins.
    await began.wait()
    #expect(run.isPaused && run.currentOutcome == nil)
    run.resume()
    #expect(await run.outcome.isSuccess && !run.isPaused)
  }

  @Test func `a progress that is asked for before the journal is there shows the run`() async throws {
    let cut = try await counting().cut(settled: 1)
    let (door, opens) = (Gate(), Signal())
    let store = slowStore(door, opens, journals: cut.journals)
    let (reached, mayEnd) = (Signal(), Signal())
    let run = counting {
      reached.fire()
      await mayEnd.wait()
    }.start(id: "a", in: store)
    await opens.wait()
    let progress = run.runProgress
    #expect(progress.fraction == 0)
    door.open()
    await reached.wait()
    #expect(progress.fraction == 0.5 && run.runProgress === progress)
    mayEnd.fire()
    _ = await run.outcome
    #expect(progress.fraction == 1)
  }

  @Test func `a run that had ended has its outcome, and its events end`() async {
    let store = MemoryFlowStore()
    #expect(await counting().run(id: "a", in: store).isSuccess)
    let run = counting().start(id: "a", in: store)
    var count = 0
    for await _ in run.events { count += 1 }
    let outcome = await run.outcome
    #expect(outcome.isSuccess && outcome.hadEnded && count == 0 && run.currentOutcome?.isSuccess == true)
  }

  @Test func `a run that another call has is an error of the run`() async {
    let (store, began, mayEnd) = (MemoryFlowStore(), Signal(), Signal())
    let first = counting {
      began.fire()
      await mayEnd.wait()
    }.start(id: "a", in: store)
    await began.wait()
    let second = counting().start(id: "a", in: store)
    #expect((await second.outcome.error as? FlowError)?.code == .runInUse)
    mayEnd.fire()
    #expect(await first.outcome.isSuccess)
  }

  @Test func `a run goes on although nobody holds it`() async {
    let (store, ended) = (MemoryFlowStore(), Signal())
    counting().observe { if case .flowFinished = $0.kind { ended.fire() } }.start(id: "a", in: store)
    await ended.wait()
  }
}
