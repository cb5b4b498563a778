import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The calls that a durable run makes to its store, and their times.
@Suite(.watched) struct DurableStoreTests {
  @Test func `with every settlement, a step starts only when the one before it is synchronized`() async {
    let order = Journal<String>()
    let store = HookedStore { hooks in
      hooks.synchronizing = { entries in
        await Task.yield()
        order.append("synchronized \(entries.withoutBegins.count)")
      }
    }
    let flow = Flow("Strict")
    for number in 1...3 { flow.add("\(number)") { _ in order.append("step \(number)") } }
    flow.add("4") { _ async in order.append("step 4") }
    #expect(await flow.run(id: "a", in: store, durability: .everySettlement).isSuccess)
    #expect(order.entries.filter { $0.hasPrefix("step") } == ["step 1", "step 2", "step 3", "step 4"])
    for number in 2...4 {
      let synchronized = order.entries.firstIndex(of: "synchronized \(number)")
      let started = order.entries.firstIndex(of: "step \(number)")
      #expect(synchronized != nil && started != nil && (synchronized ?? 0) < (started ?? 0))
    }
  }

  @Test(arguments: [false, true])
  func `a step that waits for the disk says so, and ends at once if it is cancelled`(isCancelled: Bool) async {
    let (mayContinue, isWarned, isOver, ran) = (Signal(), Signal(), Signal(), Tally())
    let store = HookedStore { hooks in
      hooks.synchronizing = { entries in if entries.withoutBegins.count >= 2 { await mayContinue.wait() } }
    }
    let flow = Flow("Disk").add("one") { _ in }.add("two") { _ in ran.add() }.quietWarning(after: .milliseconds(20))
    flow.observe { event in
      if case .warned(let text) = event.kind, text.contains("two waits for the run's journal") { isWarned.fire() }
      if event.source.name == "two", case .finished = event.kind { isOver.fire() }
    }
    async let outcome = flow.run(id: "a", in: store, durability: .everySettlement)
    await isWarned.wait()
    #expect(ran.count == 0)
    if isCancelled {
      flow.cancel()
      await isOver.wait()
    }
    mayContinue.fire()
    #expect(await outcome.isCancelled == isCancelled)
    #expect(ran.count == (isCancelled ? 0 : 1))
  }

  @Test func `nothing of a run that has ended waits for the time of grouped writes`() async throws {
    final class Held: Sendable {}
    weak var held: Held?
    weak var journal: AnyObject?
    func run() async throws {
      let (object, store) = (Held(), HookedStore())
      held = object
      let outcome = await Flow("Short").add("a") { _ in _ = object }.add("b") { $0[FlowKey<Int>("b")] = 1 }
        .run(id: "a", in: store, durability: .grouped(within: .seconds(3600)))
      #expect(outcome.isSuccess)
      journal = store.latest
    }
    try await run()
    // A callback may still be about to return, but not for an hour.
    while held != nil || journal != nil { await Task.yield() }
    #expect(held == nil && journal == nil)
  }

  @Test func `a delay goes on with what was left of it`() async throws {
    let (store, ran) = (MemoryFlowStore(), Journal<Int>())
    let policy = FlowRetryPolicy.attempts(2, delay: .seconds(3600))
    let make = {
      Flow("Delay").add("one", .retry(policy)) { context in
        ran.append(context.attempt)
        if context.attempt == 1 { throw TestError(name: "first") }
      }
    }
    let failed = Signal()
    let flow = make().observe { if $0.isRetried { failed.fire() } }
    async let outcome = flow.run(id: "a", in: store, durability: .operatingSystem)
    await failed.wait()
    while (store.journals["a"]?.withoutBegins.count ?? 0) < 2 { await Task.yield() }
    let entries = try #require(store.journals["a"]).withoutBegins
    flow.cancel()
    _ = await outcome
    guard case .settled(var settlement) = try JournalEntry(entries[1]) else {
      Issue.record("no settlement")
      return
    }
    // The date looks as if the process had been away for an hour; otherwise the test would need that time.
    settlement.date -= 3600
    let cut = MemoryFlowStore(["a": [entries[0], JournalEntry.settled(settlement).data]])
    #expect(await make().run(id: "a", in: cut).isSuccess)
    #expect(ran.entries == [1, 2])
  }

  @Test func `an attempt that is followed by another is no step that has settled`() async throws {
    let store = MemoryFlowStore()
    _ = await Flow("Tries").add("one", .retry(.attempts(3))) { _ in throw TestError(name: "no") }
      .run(id: "a", in: store)
    // The beginning, two attempts that others followed, and the last one.
    for (count, steps) in [(1, 0), (2, 0), (3, 0), (4, 1)] {
      let entries = Array(try #require(store.journals["a"]).withoutBegins.prefix(count))
      #expect(try await MemoryFlowStore(["a": entries]).unfinished().map(\.settledStepCount) == [steps])
    }
  }

  @Test func `a journal that grows is made shorter, and resumes all the same`() async throws {
    let store = MemoryFlowStore()
    let make = { (isLast: Bool) in
      Flow("Large").forEach(in: 0..<3_000, into: .texts, width: 1) { number, _ in
        String(repeating: "x", count: 500) + "\(number)"
      }.add("last") { context in
        if !isLast { throw TestError(name: "last") }
      }
    }
    let outcome = await make(false).run(id: "a", in: store)
    #expect(!outcome.isSuccess)
    let entries = try #require(store.journals["a"]).withoutBegins
    #expect(entries.count < 3_000)
    // The entries as if the process was killed before the last step.
    let cut = Array(entries.dropLast(2))
    let resumed = await make(true).run(id: "a", in: MemoryFlowStore(["a": cut]))
    #expect(resumed.isSuccess && resumed.report[.texts]?.count == 3_000)
  }

  @Test func `a run in a file resumes in another store of the same folder`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("durable-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let ran = Tally()
    let make = {
      Flow("File").forEach(in: 0..<20, into: .texts, width: 4) { number, _ in
        ran.add()
        return "\(number)"
      }
    }
    let store = FileFlowStore(folder: folder)
    #expect(await make().run(id: "a/b", in: store, durability: .everySettlement).isSuccess)
    let entries = try #require(try store.readJournal(of: "a/b"))
    try store.removeJournal(of: "a/b")
    let journal = try store.openJournal(of: "a/b").journal
    for entry in entries.withoutBegins.prefix(12) { try journal.append(entry) }
    journal.close()
    let again = FileFlowStore(folder: folder)
    #expect(try await again.unfinished().map(\.settledItemCount) == [10])
    #expect(await make().run(id: "a/b", in: again).report[.texts] == (0..<20).map { "\($0)" })
    #expect(ran.count == 30)
    #expect(try await again.unfinished() == [])
  }
}
