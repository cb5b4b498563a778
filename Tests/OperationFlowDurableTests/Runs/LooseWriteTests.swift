import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

extension FlowKey where Value == Int {
  fileprivate static var number: Self { "number" }
}

/// Writes that aren't part of a settlement of their own, and work that never settles.
@Suite(.watched) struct LooseWriteTests {
  /// Resumes the run as if its process had ended before the last entry.
  private func resumed(_ store: MemoryFlowStore, _ flow: Flow) async throws -> FlowOutcome {
    let entries = try #require(store.journals["a"]).withoutBegins.dropLast()
    return await flow.run(id: "a", in: MemoryFlowStore(["a": Array(entries)]))
  }

  @Test func `what is put back goes with the next entry, unless something later was written`() {
    var writes = PendingWrites()
    let (one, two) = (PendingWrites.Writer(step: 1, item: nil), PendingWrites.Writer(step: 2, item: nil))
    writes.begin(one)
    writes.add(1, "a", by: FlowEvent.Source("one", step: 1))
    writes.add(1, "b", by: FlowEvent.Source("one", step: 1))
    let taken = writes.take(of: one).own
    #expect(Set(taken.map(\.name)) == ["a", "b"])
    writes.add(2, "b", by: nil)
    writes.putBack(taken)
    writes.begin(two)
    let next = writes.take(of: two)
    #expect(next.own.isEmpty && next.loose.count == 2)
    #expect(next.loose.first { $0.name == "b" }?.value as? Int == 2)
    #expect(writes.takeLoose().isEmpty)
  }

  @Test func `a write of a step that has settled is stored, although a pull has come between`() async throws {
    let store = MemoryFlowStore()
    let make = {
      let contexts = Journal<FlowContext>()
      return Flow("Loose").add("one") { contexts.append($0) }
        // The write happens while the run waits for an item, which has no entry of its own.
        .forEach(in: Pulling(numbers: 2) { contexts.entries.first?[.number] = 7 }, width: 1) { _, _ in }
    }
    #expect(await make().run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"]).withoutBegins
    let names = try entries.flatMap { entry -> [String] in
      if case .settled(let settlement) = try JournalEntry(entry) { settlement.parts.writes.map(\.name) } else { [] }
    }
    #expect(names.contains("number"))
    #expect(try await resumed(store, make()).report[.number] == 7)
  }

  @Test func `what an attempt writes that is over is stored with what comes next`() async throws {
    let store = MemoryFlowStore()
    let make = {
      let (clock, mayEnd, hasEnded) = (StepClock(), Signal(), Signal())
      return Flow("Abandoned").clock(clock)
        .add("one", .retry(.attempts(2)), .timeout(.seconds(1), abandoningAfter: .zero)) { context async in
          guard context.attempt == 1 else { return }
          context[.number] = 1
          clock.advance(by: .seconds(1))
          await mayEnd.wait()
          context[.number] = 2
          hasEnded.fire()
        }
        .add("two") { _ async in await mayEnd.fire(thenAwait: hasEnded) }
        .add("three") { _ in }
    }
    #expect(await make().run(id: "a", in: store).report[.number] == 2)
    #expect(try await resumed(store, make()).report[.number] == 2)
  }

  @Test(arguments: ["step", "group", "recovers", "pulls"])
  func `what waits for the disk when the run is cancelled doesn't begin, and has an end in its record if it had begun`(
    _ kind: String
  ) async throws {
    let (ran, began, release) = (Tally(), Signal(), Signal())
    let store = HookedStore { hooks in
      hooks.synchronizing = { entries in
        guard entries.withoutBegins.count == 2 else { return }
        await began.fire(thenAwait: release)
      }
    }
    let flow = Flow("Parked")
    switch kind {
    case "step": flow.add("before") { _ in }.add("one") { _ in ran.add() }
    case "group": flow.add("before") { _ in }.forEach(in: 0..<2, width: 2) { _, _ in ran.add() }
    case "recovers": flow.add("one", .recover { _, _ in ran.add() }) { _ in throw TestError() }
    default: flow.forEach(in: Pulling(numbers: 2) { ran.add() }, .named("one")) { _, _ in }
    }
    async let outcome = flow.run(id: "a", in: store, durability: .everySettlement)
    await began.wait()
    flow.cancel()
    release.fire()
    let report = await outcome.report
    #expect(report.cancellation == .call && ran.count == 0)
    if kind == "recovers" || kind == "pulls" {
      let ends = report.events.filter { $0.source.name == "one" && $0.source.item == nil }.map(\.kind)
      #expect(ends.count { $0 == .finished(.cancelled) } == 1, "\(ends)")
    }
    #expect(await flow.run(id: "a", in: store.memory).report.cancellation == .call)
  }
}

/// A sequence whose elements are made on request.
private struct Pulling: Sequence, IteratorProtocol, Sendable {
  var numbers: Int
  let body: @Sendable () -> Void

  init(numbers: Int, _ body: @escaping @Sendable () -> Void) { (self.numbers, self.body) = (numbers, body) }

  mutating func next() -> Int? {
    guard numbers > 0 else { return nil }
    numbers -= 1
    body()
    return numbers
  }
}
