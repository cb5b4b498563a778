import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Ended runs, as long as a supervisor leaves them in its store.
@Suite(.watched) struct RetentionTests {
  private let number: FlowSignal<Int> = "number"
  private let week = Duration.seconds(604_800)

  /// Waits until the supervisor has read its store as it is now.
  private func look(_ supervisor: FlowSupervisor) async {
    let count = supervisor.roundCount
    while supervisor.roundCount < count + 2 { await Task.yield() }
  }

  @Test func `a run is removed when its time after its end is over, and what has not ended stays`() async throws {
    let (store, clock, ended) = (MemoryFlowStore(), ManualClock(), Tally())
    let flows = [
      Flow("Short").clock(clock).add("a") { _ in }, Flow("Waits").clock(clock).wait(for: number),
    ]
    // The run of another flow isn't the supervisor's own.
    _ = await Flow("Other").clock(clock).add("a") { _ in }.run(id: "other", in: store)
    let supervisor = FlowSupervisor(store, flows: flows, removingEnded: .after(week), clock: clock) { _, _ in
      ended.add()
    }
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("waits", of: "Waits")
      try await supervisor.begin("short", of: "Short")
      await ended.reach(1)
      while supervisor.status.runningCount > 0 { await Task.yield() }
      await clock.advance(by: week)
      await look(supervisor)
      #expect(store.journals["short"] != nil)
      await clock.advance(by: .seconds(3_600))
      while store.journals["short"] != nil { await Task.yield() }
      #expect(
        store.journals.keys.filter { !$0.hasPrefix(".") && !Mailbox.isReserved($0) }.sorted() == ["other", "waits"])
      // The identifier can be used again.
      try await supervisor.begin("short", of: "Short")
      await ended.reach(2)
    }
  }

  @Test func `a run that can't be removed holds up nothing, and is tried again`() async throws {
    let (clock, ended, mayRemove) = (ManualClock(), Tally(), Locked(false))
    let store = HookedStore { hooks in
      hooks.removing = { id in if id == "1", !mayRemove.withLock({ $0 }) { throw TestError(name: "read-only") } }
    }
    let flow = Flow("Short").clock(clock).add("a") { _ in }
    let supervisor = FlowSupervisor(store, flows: [flow], removingEnded: .after(.zero), clock: clock) { _, _ in
      ended.add()
    }
    try await SupervisorTests.supervising(supervisor) {
      for id in 1...3 { try await supervisor.begin("\(id)", of: "Short") }
      await ended.reach(3)
      while supervisor.status.runningCount > 0 { await Task.yield() }
      await clock.advance(by: .seconds(60))
      while store.memory.journals["3"] != nil { await Task.yield() }
      await look(supervisor)
      let trouble = try #require(supervisor.status.storeTrouble)
      #expect(trouble.error.code == .storeFailed)
      #expect(store.memory.journals["1"] != nil && store.memory.journals["2"] == nil)
      try await supervisor.begin("4", of: "Short")
      await ended.reach(4)
      mayRemove.withLock { $0 = true }
      await clock.advance(by: .seconds(60))
      while store.memory.journals["1"] != nil || supervisor.status.storeTrouble != nil { await Task.yield() }
    }
  }

  @Test func `a run whose end was not reported, or that is being opened, stays`() throws {
    var state = SupervisorState(limit: 1, removingEnded: .after(.zero))
    let begun = Date(timeIntervalSince1970: 1)
    #expect(state.start() && !state.mayRemove("a", begun: begun))
    state.notices.tell("a", begun: begun)
    #expect(state.mayRemove("a", begun: begun) && !state.mayRemove("a", begun: begun.addingTimeInterval(1)))
    try state.begin("a")
    #expect(!state.mayRemove("a", begun: begun))
  }

  @Test func `it looks for ended runs as often as their time asks for, also if the clock is set back`() {
    let now = Date(timeIntervalSince1970: 1_000_000)
    for (time, period) in [(Duration.zero, 60.0), (.seconds(1_600), 100), (week, 3_600)] {
      var removal = EndedRunRemoval(.after(time))
      #expect(removal.begin(at: now) == now.addingTimeInterval(-(time / .seconds(1))))
      #expect(removal.begin(at: now.addingTimeInterval(period - 1)) == nil)
      #expect(removal.begin(at: now.addingTimeInterval(period)) != nil)
      #expect(removal.begin(at: now.addingTimeInterval(-period)) != nil)
    }
    var never = EndedRunRemoval(.never)
    #expect(never.begin(at: now) == nil && FlowRetention.after(.seconds(-1)) == .after(.zero))
  }
}
