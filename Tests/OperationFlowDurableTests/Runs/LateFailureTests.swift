import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Outcomes and records of runs whose journal fails at their end.
@Suite(.watched) struct LateFailureTests {
  private static let durabilities: [FlowDurability] = [.operatingSystem, .grouped(), .everySettlement]

  /// Returns the record's texts about the end of the run.
  private static func ends(_ outcome: FlowOutcome) -> [String] {
    outcome.report.events.compactMap { event in
      if case .flowFinished(let end, _) = event.kind { "\(end)" } else { nil }
    }
  }

  private static func warns(_ outcome: FlowOutcome, _ part: String) -> Int {
    outcome.report.events.count { if case .warned(let text) = $0.kind { text.contains(part) } else { false } }
  }

  private static var storeWithoutEnd: HookedStore {
    HookedStore { hooks in
      hooks.appending = { entry in if JournalEntry.isEnding(entry) { throw TestError(name: "full") } }
    }
  }

  @Test(arguments: durabilities)
  func `a run whose last entry can't be written has failed, as an observer hears once, and resumes`(
    _ durability: FlowDurability
  ) async throws {
    let (ran, heard, store) = (Tally(), Journal<String>(), Self.storeWithoutEnd)
    let flow = Flow("Late").add("one") { _ in ran.add() }.observe { event in
      if case .flowFinished(let end, _) = event.kind { heard.append("\(end)") }
    }
    let outcome = await flow.run(id: "a", in: store, durability: durability)
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .storeFailed && error.problem.contains("full") && error.flow == "Late")
    #expect(outcome.failure != nil && outcome.report.summary.contains("full"))
    #expect(Self.ends(outcome) == heard.entries && heard.entries.count == 1 && heard.entries[0].contains("full"))
    #expect(await flow.run(id: "a", in: store.memory).isSuccess && ran.count == 1)
  }

  @Test(arguments: [FlowDurability.grouped(), .everySettlement])
  func `a run whose last synchronization fails has failed`(_ durability: FlowDurability) async throws {
    let store = HookedStore { hooks in
      hooks.synchronizing = { entries in
        if entries.last.map(JournalEntry.isEnding) == true { throw TestError(name: "lost") }
      }
    }
    let outcome = await Flow("Late").add("one") { _ in }.run(id: "a", in: store, durability: durability)
    #expect(outcome.code == .storeFailed && (outcome.error as? FlowError)?.problem.contains("lost") == true)
    #expect(Self.ends(outcome).count == 1 && Self.ends(outcome).first?.contains("lost") == true)
  }

  @Test(arguments: durabilities)
  func `a run that goes on without its journal warns of its last entry`(_ durability: FlowDurability) async {
    let outcome = await Flow("Late").add("one") { _ in }
      .run(id: "a", in: Self.storeWithoutEnd, durability: durability.continuingWithoutJournal())
    #expect(outcome.isSuccess && Self.warns(outcome, "full") == 1)
    let numbers = outcome.report.events.map(\.number)
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
  }

  @Test func `a run without its journal ends when nothing is at work in it any longer`() async {
    let (began, release, closings) = (Signal(), Signal(), Journal<Int>())
    let store = HookedStore { hooks in
      hooks.synchronizing = { entries in
        guard entries.withoutBegins.count == 2 else { return }
        await began.fire(thenAwait: release)
      }
      hooks.appending = { _ in if began.isOn { throw TestError(name: "full") } }
      hooks.closing = { closings.append($0) }
    }
    let flow = Flow("Over").add("one") { _ in }.add("two") { _ async in await began.wait() }.add("three") { _ in
      Task {
        // The run ends meanwhile.
        for _ in 0..<1_000 { await Task.yield() }
        release.fire()
      }
    }
    let durability = FlowDurability.grouped(within: .zero).continuingWithoutJournal()
    let outcome = await flow.run(id: "a", in: store, durability: durability)
    #expect(outcome.isSuccess && Self.warns(outcome, "full") == 1)
    #expect(closings.entries == [0])
  }
}
