import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The signal of a waiting step is a part of its flow's shape, and the length of a wait isn't.
@Suite(.watched) struct ChangedWaitTests {
  private static let approved = FlowSignal<String>("approved")
  private static let rejected = FlowSignal<String>("rejected")

  private enum Wait: CaseIterable {
    case approval, rejection, time, date, key
  }

  private func flow(_ wait: Wait, read: Journal<String> = Journal()) -> Flow {
    let flow = Flow("Order").set("due", to: Date(timeIntervalSince1970: 0)).add("first", .writesNothing) { _ in }
    switch wait {
    case .approval: flow.wait(for: Self.approved, continuingAfter: .zero, named: "wait")
    case .rejection: flow.wait(for: Self.rejected, continuingAfter: .zero, named: "wait")
    case .time: flow.wait(.zero, named: "wait")
    case .date: flow.wait(until: Date(timeIntervalSince1970: 0), named: "wait")
    case .key: flow.wait(until: "due", named: "wait")
    }
    return flow.add("last") { context in
      read.append("\(context[Self.approved.key] ?? "nothing"), \(context[Self.rejected.key] ?? "nothing")")
    }
  }

  /// Runs a flow, and returns its journal after its first step settled.
  ///
  /// If the flow waits for a message, its wait has already received one.
  private func begun(_ wait: Wait) async throws -> [String: [Data]] {
    let store = MemoryFlowStore()
    try await store.send(Self.approved, "yes", to: "a", beforeItBegins: true)
    let signals = try #require(store.journals["a.signals"])
    #expect(await flow(wait).run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"])
    let end = entries.firstIndex { $0.first == JournalEntry.Kind.waits.rawValue } ?? 1
    return ["a": Array(entries[...end]), "a.signals": signals]
  }

  @Test(arguments: [false, true])
  func `a step that waits for something else has changed, under the same name as well`(accepts: Bool) async throws {
    for wait in Wait.allCases {
      let journals = try await begun(wait)
      for other in Wait.allCases {
        let (read, store) = (Journal<String>(), MemoryFlowStore(journals))
        let outcome = await flow(other, read: read).run(id: "a", in: store, acceptsChanges: accepts)
        if wait == other {
          #expect(outcome.isSuccess && read.entries == [wait == .approval ? "yes, nothing" : "nothing, nothing"])
        } else {
          #expect((outcome.error as? FlowError)?.code == .changedFlow && read.entries == [], "\(wait), \(other)")
          #expect(store.journals == journals)
        }
      }
    }
    let text =
      "\(String(describing: await flow(.rejection).run(id: "a", in: MemoryFlowStore(try await begun(.approval))).error))"
    #expect(text.contains("2. wait: operation, waits for the signal approved"))
    #expect(text.contains("2. wait: operation, waits for the signal rejected"))
  }

  @Test func `the time of a wait may change, whether or not the step has a name`() async throws {
    for name in [nil, "pause"] {
      let make = { (time: Duration, ran: Journal<String>) in
        Flow("Order").add("first", .writesNothing) { _ in ran.append("first") }.wait(time, named: name)
          .add("last") { _ in ran.append("last") }
      }
      let (ran, store) = (Journal<String>(), try await make(.milliseconds(1), Journal()).cut(settled: 1))
      #expect(await make(.milliseconds(2), ran).run(id: "a", in: store).isSuccess && ran.entries == ["last"])
    }
  }

  @Test func `a journal of an earlier version, which has neither, is resumed by a flow with any wait`() async throws {
    let ran = Journal<String>()
    let make = {
      Flow("Order").add("first") { _ in ran.append("first") }.wait(.zero)
        .add(flow: Flow("Inner").wait(.milliseconds(1))).wait(for: Self.approved, continuingAfter: .zero)
        .add("last") { _ in ran.append("last") }
    }
    var entries = try #require(try await make().cut(settled: 1).journals["a"])
    guard case .begun(let beginning) = try JournalEntry(entries[0]) else {
      Issue.record("no beginning")
      return
    }
    let paths = ["2. wait": "2. wait 0 ns", "3. Inner > 1. wait": "3. Inner > 1. wait 1 ms"]
    #expect(Set(paths.keys).isSubset(of: beginning.shape.map(\.path)))
    var writer = JournalWriter()
    writer.byte(JournalEntry.Kind.begun.rawValue)
    writer.number(3)
    writer.text(beginning.flowName)
    writer.date(beginning.date)
    writer.number(beginning.shape.count)
    for step in beginning.shape {
      writer.text(paths[step.path] ?? step.path)
      writer.text(step.traits)
      writer.number(step.block.owner + 1)
      writer.number(step.block.branch)
      writer.byte(step.isAtEnd ? 1 : 0)
    }
    writer.list(beginning.data) { $1.write(to: &$0) }
    entries[0] = writer.data
    let outcome = await make().run(id: "a", in: MemoryFlowStore(["a": entries]))
    #expect(outcome.isSuccess, "\(outcome)")
    #expect(ran.entries == ["first", "last", "last"])
  }
}
