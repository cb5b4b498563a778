import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched, .serialized) struct TaskSpawnerTests {
  @Test(arguments: [true, false]) func `no task begins before it can be cancelled`(inherits: Bool) async {
    let spawner = TaskSpawner(inherits: inherits)
    let (seen, ended) = (Journal<Bool>(), Tally())
    for _ in 0..<200 {
      let hasBegun = Signal()
      spawner.spawn {
        hasBegun.fire()
        seen.append(Task.isCancelled)
        ended.add()
      } started: { task in
        // Long enough for a task to start too early, even on a busy machine, where one yield may not be enough.
        let end = ContinuousClock.now + .milliseconds(1)
        while !hasBegun.isOn, ContinuousClock.now < end { sched_yield() }
        task.cancel()
      }
    }
    await ended.reach(200)
    #expect(!seen.entries.contains(false))
  }
}
