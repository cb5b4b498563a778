import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowObservation

private func startGroup() -> FlowRun {
  Flow().set("in", to: Array(0..<40)).forEach("in" as FlowKey<[Int]>, width: 2) { _, context in
    context.reportProgress(0.5)
  }.start()
}

/// Adds a progress on the main thread, and calls the library from the same task on another thread.
@MainActor private func addOnMainThread() async {
  let parent = Progress(totalUnitCount: 1)
  parent.addChild(ProgressTurns.makeProgress(), withPendingUnitCount: 1)
  await noteReturn()
}

private func noteReturn() async { ProgressTurns.shared.noteReturn() }

/// Runs whose progresses have the same parent.
///
/// Each test has a process of its own, because no progress changes while one is added.
@Suite(.heavy) struct SharedProgressTests {
  @Test func `many runs under one parent add up to the whole, however they are added`() async {
    await #expect(processExitsWith: .success) {
      for round in 0..<TestSettings.amount(100) {
        let parent = Progress(totalUnitCount: 8)
        var runs: [FlowRun] = []
        for _ in 0..<8 {
          let run = startGroup()
          // In every other round, the added runs have ended.
          if round.isMultiple(of: 2) { _ = await run.outcome }
          parent.addChild(run.progress, withPendingUnitCount: 1)
          runs.append(run)
        }
        // This call shows the library that the last progress was added. Otherwise its runs would wait for a while.
        _ = runs.last?.progress
        for run in runs { _ = await run.outcome }
        guard abs(parent.fractionCompleted - 1) < 0.000_01, parent.completedUnitCount == 8 else {
          print("The parent stands at \(parent.fractionCompleted) in round \(round)")
          exit(EXIT_FAILURE)
        }
      }
    }
  }

  @Test func `changes go on when the task that has added a progress calls the library, on whatever thread`() async {
    await #expect(processExitsWith: .success) {
      await addOnMainThread()
      guard ProgressTurns.shared.change({}, otherwise: {}) else { exit(EXIT_FAILURE) }
    }
  }

  @Test func `a run that is added while others are at work is counted from where it stands`() async {
    await #expect(processExitsWith: .success) {
      let (begun, mayEnd) = (Tally(), Signal())
      let parent = Progress(totalUnitCount: 2)
      let runs = (0..<2).map { _ in
        Flow().add("first") { _ in }.add("second") { _ in await begun.add(thenAwait: mayEnd) }.start()
      }
      await begun.reach(2)
      parent.addChild(runs[0].progress, withPendingUnitCount: 1)
      parent.addChild(runs[1].progress, withPendingUnitCount: 1)
      #expect(abs(parent.fractionCompleted - 0.5) < 0.000_01)
      mayEnd.fire()
      for run in runs { #expect(await run.outcome.isSuccess) }
      #expect(parent.fractionCompleted == 1)
    }
  }

  @Test func `a program that looks for a progress in a set all the time holds up no run`() async {
    await #expect(processExitsWith: .success) {
      let run = startGroup()
      let (progress, isOver) = (run.progress, Signal())
      Thread.detachNewThread {
        let all: Set<Progress> = [progress]
        while !isOver.isOn, all.contains(progress) { Thread.sleep(forTimeInterval: 0.01) }
      }
      #expect(await run.outcome.isSuccess && progress.isFinished)
      isOver.fire()
    }
  }

  @Test func `cancelling the parent cancels all of its runs, and one that is added then`() async {
    await #expect(processExitsWith: .success) {
      let parent = Progress(totalUnitCount: 4)
      let start = { Flow().add("waits") { _ in await untilCancelled() }.start() }
      var runs = (0..<3).map { _ in start() }
      for run in runs { parent.addChild(run.progress, withPendingUnitCount: 1) }
      parent.cancel()
      runs.append(start())
      parent.addChild(runs[3].progress, withPendingUnitCount: 1)
      for run in runs { #expect(await run.outcome.isCancelled) }
    }
  }
}
