import Foundation
import OperationFlow
import TestSupport
import Testing

@testable import OperationFlowObservation

/// Runs whose progresses have the same parent.
///
/// On Linux, the runs have ended or only wait, because `Progress` isn't safe for threads there.
@Suite(.heavy) struct SharedProgressTests {
  @Test func `runs that are added while they wait add up to the whole`() async {
    await #expect(processExitsWith: .success) {
      for round in 0..<TestSettings.amount(100) {
        let (parent, begun, mayContinue) = (Progress(totalUnitCount: 8), Tally(), Signal())
        let runs = (0..<8).map { _ in
          Flow().set("in", to: Array(0..<40)).add("waits") { _ in await begun.add(thenAwait: mayContinue) }
            .forEach("in" as FlowKey<[Int]>, width: 2) { _, context in context.reportProgress(0.5) }.start()
        }
        await begun.reach(8)
        for run in runs { parent.addChild(run.progress, withPendingUnitCount: 1) }
        mayContinue.fire()
        for run in runs { _ = await run.outcome }
        guard abs(parent.fractionCompleted - 1) < 0.000_01, parent.completedUnitCount == 8 else {
          print("The parent stands at \(parent.fractionCompleted) in round \(round)")
          exit(EXIT_FAILURE)
        }
      }
    }
  }

  @Test func `a run that has ended is counted when it is added`() async {
    await #expect(processExitsWith: .success) {
      let parent = Progress(totalUnitCount: 2)
      for count in 1...2 {
        let run = Flow().add("first") { _ in }.start()
        _ = (run.progress, await run.outcome)
        parent.addChild(run.progress, withPendingUnitCount: 1)
        #expect(abs(parent.fractionCompleted - Double(count) / 2) < 0.000_01)
      }
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
