import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Supervised runs in a store each of whose calls fails now and then, for a moment.
@Suite(.watched, .long) struct RandomSupervisorTests {
  private static let number: FlowSignal<Int> = "number"

  /// True if much random work was asked for, as it is each night.
  private static var isLong: Bool {
    (ProcessInfo.processInfo.environment["OPERATIONFLOW_EFFORT"].flatMap(Double.init) ?? 1) >= 5
  }

  // Once, beside the sanitizer on a busy machine, it did not end.
  @Test(.enabled(if: isLong, "It takes part with OPERATIONFLOW_EFFORT=5 or more."))
  func `runs of a store that fails now and then end as they would otherwise, and are reported`() async {
    await forEachSeed(count: 6, workers: 2) { try await Self.run($0) }
  }

  private static func run(_ seed: UInt64) async throws -> String? {
    let (store, clock, ended, undone) = (FlakyStore(seed: seed), ManualClock(), Locked([String: Int]()), Tally())
    let flow = Flow("Order").clock(clock)
      .add("reserve", .undo { _ in undone.add() }, .writes(FlowKey<Int>("a"))) { $0[FlowKey<Int>("a")] = 1 }
      .wait(.seconds(20))
      .add("use", .reads(FlowKey<Int>("a"))) { _ = try $0.require(FlowKey<Int>("a")) }
      .wait(for: number)
      .add("end") { _ = try $0.require(number.key) }
    let ids = (1...6).map { "\($0)" }
    let problems = Journal<String>()
    // Two supervisors, one after the other, as if the process had ended in between.
    var sent: Set<String> = []
    for part in 1...2 {
      let supervisor = FlowSupervisor(store, flows: [flow], atMost: 2, clock: clock) { id, outcome in
        if !outcome.isSuccess { problems.append("\(id): \(outcome)") }
        ended.withLock { $0[id, default: 0] += 1 }
      }
      let supervising = Task {
        while !Task.isCancelled { try? await supervisor.run() }
      }
      for id in ids where part == 1 { await store.untilDone { try await supervisor.begin(id, of: "Order") } }
      for round in 1... {
        if part == 1, round == 40 { break }
        if ended.withLock({ $0.count }) == ids.count { break }
        if let id = ids.first(where: { !sent.contains($0) }), round % 5 == 0 {
          await store.untilDone { try await store.send(number, 1, to: id, messageID: id, clock: clock) }
          sent.insert(id)
        }
        let before = supervisor.roundCount
        await clock.advance(by: .seconds(1))
        while supervisor.roundCount == before { await Task.yield() }
      }
      supervising.cancel()
      await supervising.value
    }
    if undone.count > 0 { return "undone: \(undone.count)" }
    if let problem = problems.entries.first { return problem }
    let counts = ended.withLock { $0 }
    return ids.allSatisfy { counts[$0, default: 0] > 0 } ? nil : "\(counts), \(store.memory.journals.keys)"
  }
}

/// A store in memory, each of whose calls may fail.
private final class FlakyStore: FlowStore {
  struct Moment: Error {}

  let memory = MemoryFlowStore()
  private let generator: Locked<SplitMix>

  init(seed: UInt64) { generator = Locked(SplitMix(seed: seed)) }

  /// Repeats something until the store lets it.
  func untilDone(_ body: () async throws -> Void) async {
    while true {
      do { return try await body() } catch let error as FlowError where error.code == .runInUse { return } catch {
        await Task.yield()
      }
    }
  }

  fileprivate func mayFail() throws {
    if generator.withLock({ $0.next() % 16 }) == 0 { throw Moment() }
  }

  func openJournal(of id: String) throws -> FlowOpenJournal {
    try mayFail()
    let open = try memory.openJournal(of: id)
    return FlowOpenJournal(FlakyJournal(open.journal, self), entries: open.entries)
  }

  func readJournal(of id: String) throws -> [Data]? {
    try mayFail()
    return memory.readJournal(of: id)
  }

  func runIDs() throws -> [String] {
    try mayFail()
    return memory.runIDs()
  }

  func removeJournal(of id: String) throws {
    try mayFail()
    try memory.removeJournal(of: id)
  }
}

private final class FlakyJournal: FlowJournal {
  private let journal: any FlowJournal
  private let store: FlakyStore

  init(_ journal: any FlowJournal, _ store: FlakyStore) { (self.journal, self.store) = (journal, store) }

  func append(_ entry: Data) throws {
    try store.mayFail()
    try journal.append(entry)
  }

  func synchronize() async throws {
    try store.mayFail()
    try await journal.synchronize()
  }

  func replaceEntries(first count: Int, with entries: [Data]) async throws {
    try store.mayFail()
    try await journal.replaceEntries(first: count, with: entries)
  }

  func close() { journal.close() }
}
