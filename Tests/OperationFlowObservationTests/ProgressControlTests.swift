import Foundation
import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

@Suite(.watched) struct ProgressControlTests {
  @Test func `cancelling the progress cancels the run`() async {
    let hasBegun = Signal()
    let run = Flow().add("waits") { _ in await hasBegun.fireUntilCancelled() }.add("next") { _ in fail("ran") }.start()
    let progress = run.progress
    #expect(progress.isCancellable && progress.isPausable)
    await hasBegun.wait()
    progress.cancel()
    #expect(await run.outcome.isCancelled)
  }

  @Test func `pausing and resuming the progress does so to the run`() async {
    let (hasBegun, mayEnd) = (Signal(), Signal())
    let run = Flow().add("first") { _ in await hasBegun.fire(thenAwait: mayEnd) }.add("second") { _ in }.start()
    await hasBegun.wait()
    let (progress, isPaused, isResumed) = (run.progress, Signal(), Signal())
    let watcher = Task {
      for await event in run.events {
        if event.kind == .paused { isPaused.fire() }
        if event.kind == .resumed { isResumed.fire() }
      }
    }
    progress.pause()
    await isPaused.wait()
    #expect(run.isPaused)
    mayEnd.fire()
    progress.resume()
    await isResumed.wait()
    #expect(await run.outcome.isSuccess)
    await watcher.value
  }

  @Test func `there is one progress for a run, from many threads as well`() async {
    let run = Flow().add("waits") { _ in await untilCancelled() }.start()
    let first = ObjectIdentifier(run.progress)
    await atOnce(
      { #expect(ObjectIdentifier(run.progress) == first) }, { #expect(ObjectIdentifier(run.progress) == first) })
    run.cancel()
    _ = await run.outcome
  }

  @Test func `a progress that is kept does nothing once its run has ended`() async {
    let run = Flow().add("step") { _ in }.start()
    let progress = run.progress
    #expect(await run.outcome.isSuccess)
    progress.cancel()
    progress.pause()
    #expect(await run.outcome.isSuccess)
    #expect(!run.isPaused)
  }

  @Test func `a paused run goes on though nothing but its progress is held`() async {
    let (hasBegun, mayEnd, isDone) = (Signal(), Signal(), Signal())
    let (hasEnded, isPaused) = (Signal(), Signal())
    // A separate function, so that no variable retains the flow or the run afterwards.
    func start() -> Progress {
      Flow()
        .observe { event in
          if event.kind == .paused { isPaused.fire() }
          if event.source.name == "first", case .finished = event.kind { hasEnded.fire() }
        }
        .add("first") { _ in await hasBegun.fire(thenAwait: mayEnd) }
        .add("second") { _ in isDone.fire() }
        .start().progress
    }
    let progress = start()
    await hasBegun.wait()
    progress.pause()
    // Foundation calls the pause handler in another thread.
    await isPaused.wait()
    await mayEnd.fire(thenAwait: hasEnded)
    for _ in 0..<100 { await Task.yield() }
    progress.resume()
    await isDone.wait()
  }
}
