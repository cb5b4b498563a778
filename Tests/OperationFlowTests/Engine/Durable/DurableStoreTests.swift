import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// A store in memory whose journals fail or wait when a test says so.
private final class TestStore: FlowStore {
  let memory = MemoryFlowStore()
  /// The journal that was opened last.
  let latest = Locked(Latest())

  struct Latest { weak var journal: TestJournal? }

  /// How many entries can be appended before it fails.
  let limit: Int
  /// What a synchronization waits for; it is given how many entries there are.
  let synchronizing: @Sendable (Int) async -> Void

  init(limit: Int = .max, synchronizing: @escaping @Sendable (Int) async -> Void = { _ in }) {
    (self.limit, self.synchronizing) = (limit, synchronizing)
  }

  func openJournal(of id: String) throws -> any FlowJournal {
    let journal = TestJournal(try memory.openJournal(of: id), self)
    latest.withLock { $0.journal = journal }
    return journal
  }

  func readJournal(of id: String) throws -> [Data]? { memory.readJournal(of: id) }
  func runIDs() throws -> [String] { memory.runIDs() }
  func removeJournal(of id: String) throws { try memory.removeJournal(of: id) }
}

private final class TestJournal: FlowJournal {
  let journal: any FlowJournal
  let store: TestStore

  init(_ journal: any FlowJournal, _ store: TestStore) { (self.journal, self.store) = (journal, store) }

  var repair: String? { journal.repair }
  var entryCount: Int { journal.entryCount }
  var byteCount: Int { journal.byteCount }
  func takeEntries() -> [Data] { journal.takeEntries() }
  func close() { journal.close() }

  func append(_ entry: Data) throws {
    if journal.entryCount >= store.limit { throw TestError(name: "full") }
    try journal.append(entry)
  }

  func synchronize() async throws {
    await store.synchronizing(journal.entryCount)
    try await journal.synchronize()
  }

  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    try await journal.replaceEntries(first: count, with: entries)
  }
}

extension FlowKey where Value == [String] {
  fileprivate static var texts: Self { "texts" }
}

/// How a durable run gets along with its store, and with time.
@Suite(.watched) struct DurableStoreTests {
  @Test func `with every settlement, a step starts only when the one before it is synchronized`() async {
    let order = Journal<String>()
    let store = TestStore { count in
      await Task.yield()
      order.append("synchronized \(count)")
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

  @Test func `nothing of a run that has ended waits for the time of grouped writes`() async throws {
    final class Held: Sendable {}
    weak var held: Held?
    weak var journal: TestJournal?
    func run() async throws {
      let (object, store) = (Held(), TestStore())
      held = object
      let outcome = await Flow("Short").add("a") { _ in _ = object }.add("b") { $0[FlowKey<Int>("b")] = 1 }
        .run(id: "a", in: store, durability: .grouped(within: .seconds(3600)))
      #expect(outcome.isSuccess)
      journal = store.latest.withLock { $0.journal }
    }
    try await run()
    // What has called back may still be about to return, but not for an hour.
    while held != nil || journal != nil { await Task.yield() }
    #expect(held == nil && journal == nil)
  }

  @Test func `a journal that can't be written fails the run`() async throws {
    let (store, ran) = (TestStore(limit: 2), Tally())
    let flow = Flow("Full")
    for number in 1...4 { flow.add("\(number)") { _ in ran.add() } }
    let outcome = await flow.run(id: "a", in: store)
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .storeFailed && error.problem.contains("full"))
    #expect(ran.count < 4)
    #expect(store.memory.journals["a"]?.count == 2)
  }

  @Test func `nothing is undone if the journal fails, for the run can be resumed`() async throws {
    let (store, ran, undone) = (TestStore(limit: 2), Journal<String>(), Tally())
    let make = { @Sendable in
      Flow("Full").add("reserve", .undo { _ in undone.add() }) { _ in ran.append("reserve") }
        .add("ship") { _ in ran.append("ship") }
        .add("thank") { _ in ran.append("thank") }
    }
    let outcome = await make().run(id: "a", in: store)
    #expect((outcome.error as? FlowError)?.code == .storeFailed && undone.count == 0)
    #expect(await make().run(id: "a", in: store.memory).isSuccess)
    #expect(undone.count == 0 && ran.entries.filter { $0 == "reserve" }.count == 1)
  }

  @Test func `a run may go on without its journal, with a warning`() async {
    let (store, ran) = (TestStore(limit: 2), Tally())
    let flow = Flow("Full")
    for number in 1...4 { flow.add("\(number)") { _ in ran.add() } }
    let outcome = await flow.run(id: "a", in: store, durability: .grouped().onJournalFailure(.goOn))
    #expect(outcome.isSuccess && ran.count == 4)
    #expect(
      outcome.report.events.contains { if case .warned(let text) = $0.kind { text.contains("full") } else { false } })
    // What the journal doesn't have is done again.
    #expect(await flow.run(id: "a", in: store.memory).isSuccess)
    #expect(ran.count == 7)
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
    while (store.journals["a"]?.count ?? 0) < 2 { await Task.yield() }
    let entries = try #require(store.journals["a"])
    flow.cancel()
    _ = await outcome
    guard case .settled(var settlement) = try JournalEntry(entries[1]) else {
      Issue.record("no settlement")
      return
    }
    // As if the process had been away for that long; otherwise this would take an hour.
    settlement.date -= 3600
    let cut = MemoryFlowStore(["a": [entries[0], JournalEntry.settled(settlement).data]])
    #expect(await make().run(id: "a", in: cut).isSuccess)
    #expect(ran.entries == [1, 2])
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
    let entries = try #require(store.journals["a"])
    #expect(entries.count < 3_000)
    // As if the process had been killed before the last step.
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
    let journal = try store.openJournal(of: "a/b")
    for entry in entries.prefix(12) { try journal.append(entry) }
    journal.close()
    let again = FileFlowStore(folder: folder)
    #expect(try await again.unfinished().map(\.settledItemCount) == [10])
    #expect(await make().run(id: "a/b", in: again).report[.texts] == (0..<20).map { "\($0)" })
    #expect(ran.count == 30)
    #expect(try await again.unfinished() == [])
  }
}
