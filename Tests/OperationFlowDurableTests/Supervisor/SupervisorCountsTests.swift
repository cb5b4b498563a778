import OperationFlow
import OperationFlowDurable
import OperationFlowTesting
import TestSupport
import Testing

/// The numbers of runs that a supervisor shows, and their text for Prometheus.
@Suite(.watched) struct SupervisorCountsTests {
  private let number: FlowSignal<Int> = "number"

  @Test func `each run counts when it is opened and when it ends, and what had ended before doesn't`() async throws {
    let (store, ended) = (MemoryFlowStore(["broken": [.init([7])]]), Tally())
    let flows = [
      Flow("Good").add("a") { _ in }, Flow("Bad").add("a") { _ in throw TestError(name: "down") },
      Flow("Waits").wait(for: number),
    ]
    let supervisor = FlowSupervisor(store, flows: flows) { _, _ in ended.add() }
    try await SupervisorTests.supervising(supervisor) {
      for (id, name) in [("1", "Good"), ("2", "Good"), ("3", "Bad"), ("4", "Waits"), ("5", "Waits"), ("6", "Waits")] {
        try await supervisor.begin(id, of: name)
      }
      await ended.reach(3)
      while supervisor.status.waitingCount < 3 || supervisor.status.leftRuns.isEmpty { await Task.yield() }
      // The run wakes to be cancelled.
      try await store.cancel("4")
      await ended.reach(4)
      // The end of this run was reported before.
      try await supervisor.begin("1", of: "Good")
      while supervisor.status.runningCount > 0 { await Task.yield() }
      let counts = supervisor.status.counts
      #expect(counts.opened == 7 && counts.succeeded == 2 && counts.failed == 1 && counts.cancelled == 1)
      #expect(
        supervisor.status.prometheusText == """
          # HELP flow_supervisor_runs Runs that have not ended, by what they do.
          # TYPE flow_supervisor_runs gauge
          flow_supervisor_runs{state="running"} 0
          flow_supervisor_runs{state="waiting"} 2
          flow_supervisor_runs{state="left"} 1
          # HELP flow_supervisor_opened_total How often a run was begun, or resumed.
          # TYPE flow_supervisor_opened_total counter
          flow_supervisor_opened_total 7
          # HELP flow_supervisor_ended_total Runs that have ended.
          # TYPE flow_supervisor_ended_total counter
          flow_supervisor_ended_total{result="succeeded"} 2
          flow_supervisor_ended_total{result="failed"} 1
          flow_supervisor_ended_total{result="cancelled"} 1
          # HELP flow_supervisor_store_trouble 1 if the store can't be used, or a run not be removed.
          # TYPE flow_supervisor_store_trouble gauge
          flow_supervisor_store_trouble 0

          """)
    }
    // The counters continue when the supervisor stops and runs again, as a scraper requires.
    #expect(supervisor.status.counts.opened == 7 && supervisor.status.waitingCount == 0)
  }
}
