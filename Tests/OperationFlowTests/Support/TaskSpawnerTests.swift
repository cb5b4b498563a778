import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct TaskSpawnerTests {
  @Test(arguments: [true, false]) func `no task begins before it can be cancelled`(isNeeded: Bool) async {
    let spawner = TaskSpawner(isNeeded: isNeeded)
    let (seen, ended) = (Journal<Bool>(), Tally())
    for _ in 0..<200 {
      let hasBegun = Signal()
      spawner.spawn {
        hasBegun.fire()
        seen.append(Task.isCancelled)
        ended.add()
      } started: { task in
        // Time enough for a task to begin that is not held up.
        for _ in 0..<2_000 where !hasBegun.isOn { sched_yield() }
        task.cancel()
      }
    }
    await ended.reach(200)
    #expect(!seen.entries.contains(false))
  }
}
