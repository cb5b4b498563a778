import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A run belongs to the flow that began it.
@Suite(.watched) struct OtherFlowTests {
  private func flow(_ name: String, _ ran: Journal<String> = Journal(), steps: [String] = ["one", "two"]) -> Flow {
    steps.reduce(Flow(name)) { flow, step in flow.add(step, .writesNothing) { _ in ran.append("\(name): \(step)") } }
  }

  private func error(_ outcome: FlowOutcome) -> FlowError? { outcome.error as? FlowError }

  @Test func `an id that another flow has used is refused, whether that run has ended or not`() async throws {
    let ended = MemoryFlowStore()
    #expect(await flow("Backup").run(id: "nightly", in: ended).isSuccess)
    let begun = MemoryFlowStore(["nightly": try #require(try await flow("Backup").cut(settled: 1).journals["a"])])
    for (store, steps) in [(ended, ["delete"]), (ended, ["one", "two"]), (begun, ["one", "two"])] {
      let (ran, before) = (Journal<String>(), store.journals)
      let found = error(await flow("Clean up", ran, steps: steps).run(id: "nightly", in: store))
      #expect(found?.code == .changedFlow && ran.entries == [] && store.journals == before)
      #expect(
        found?.problem == "the run \"nightly\" was begun by the flow \"Backup\", and not by \"Clean up\"")
      #expect(found?.remedy.contains("another id") == true && found?.remedy.contains("acceptsChanges: true") == true)
    }
    let ran = Journal<String>()
    #expect(await flow("Backup", ran).run(id: "nightly", in: begun).isSuccess && ran.entries == ["Backup: two"])
  }

  @Test func `a flow that was renamed has its runs if changes are accepted, and from then on`() async throws {
    let store = try await flow("Backup").cut(settled: 1)
    let (ran, killed) = (Journal<String>(), Journal<[Data]>())
    let renamed = flow("Copy", ran)
    let hooked = HookedStore(["a": try #require(store.journals["a"])])
    renamed.observe { [weak hooked] event in
      if case .flowStarted = event.kind, let entries = hooked?.memory.journals["a"] { killed.append(entries) }
    }
    #expect(await renamed.run(id: "a", in: hooked, acceptsChanges: true).isSuccess)
    #expect(await flow("Copy", ran).run(id: "a", in: hooked).hadEnded)
    let again = MemoryFlowStore(["a": try #require(killed.entries.first)])
    #expect(await flow("Copy", ran).run(id: "a", in: again).isSuccess)
    #expect(ran.entries == ["Copy: two", "Copy: two"])
  }

  @Test func `a journal without the name of a flow is that of any flow`() async throws {
    var entries = try #require(try await flow("Backup").cut(settled: 1).journals["a"])
    guard case .begun(let beginning) = try JournalEntry(entries[0]) else {
      Issue.record("no beginning")
      return
    }
    let nameless = JournalBeginning(flowName: "", date: beginning.date, shape: beginning.shape, data: beginning.data)
    entries[0] = JournalEntry.begun(nameless).data
    let ran = Journal<String>()
    #expect(await flow("Copy", ran).run(id: "a", in: MemoryFlowStore(["a": entries])).isSuccess)
    #expect(ran.entries == ["Copy: two"])
  }

  @Test func `the outcome of a run that had ended says so, and the first line of each summary`() async {
    let store = MemoryFlowStore()
    let first = await flow("Backup").run(id: "a", in: store)
    #expect(!first.hadEnded && !first.report.hadEnded && !"\(first)".contains("before"))
    // A new version of the flow gets the same outcome.
    for steps in [["one", "two"], ["one", "two", "three"]] {
      let ran = Journal<String>()
      let outcome = await flow("Backup", ran, steps: steps).run(id: "a", in: store)
      #expect(outcome.isSuccess && outcome.hadEnded && outcome.report.hadEnded && ran.entries == [])
      #expect("\(outcome)".hasPrefix("had ended before: succeeded, flow \"Backup\""))
      #expect(outcome.report.summary.hasPrefix("====== Flow Summary: Backup, which had ended before ======\n"))
      let brief = outcome.report.summary(style: .brief)
      #expect(brief.hasPrefix("Backup: had ended before, succeeded after "))
      #expect(outcome.report.record.summary(style: .brief) == brief)
      let detailed = outcome.report.summary(style: .detailed)
      #expect(detailed.hasPrefix("====== Backup, in detail, which had ended before ======\n"))
    }
  }
}
