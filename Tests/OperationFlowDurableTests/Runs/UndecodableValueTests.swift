import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

private struct Customer: Codable, Sendable, Hashable {
  var name = "ann"
}

/// The customer type of a later version.
///
/// Stored values can't be decoded as this type.
private struct NewCustomer: Codable, Sendable, Hashable {
  var name = "?"
  var age: Int
}

private final class Shipping: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  @FlowInput("customer") var customer: NewCustomer?

  override func mainLogic() { finishSuccessfully() }
}

/// A value that a new version of the program can't read fails no step: the run is left as it was.
@Suite(.watched) struct UndecodableValueTests {
  private static let old: FlowKey<Customer> = "customer"
  private static let new: FlowKey<NewCustomer> = "customer"
  private static let list: FlowKey<[Customer]> = "list"
  private static let newList: FlowKey<[NewCustomer]> = "list"

  /// Returns a flow whose first step stores values, and is undone if the run fails.
  private func flow(_ ran: Journal<String>, _ last: (Flow) -> Flow) -> Flow {
    let flow = Flow("Order").add("pay", .undo { _ in ran.append("refunded") }) { context in
      ran.append("paid")
      context[Self.old] = Customer()
      context[Self.list] = [Customer(), Customer()]
      context["id" as FlowKey<String>] = "a7"
    }
    return last(flow).always("end") { $0.add("end") { _ in ran.append("ended") } }
  }

  private func begun() async throws -> MemoryFlowStore {
    try await flow(Journal()) { $0.add("ship") { _ in } }.cut(settled: 1)
  }

  /// The ways in which the last step of a new version reads the value that it can't decode.
  private static let reads: [String: @Sendable (Flow) -> Flow] = [
    "require": { $0.add("ship") { context in _ = try context.require(new) } },
    "a subscript": { $0.add("ship") { context in context.log("\(context[new]?.age ?? 0)") } },
    "an update": { $0.add("ship") { context in context.update(new, default: NewCustomer(age: 0)) { $0.age += 1 } } },
    "a read whose error is caught": { $0.add("ship") { context in _ = try? context.require(new) } },
    "a read with a recovery": {
      $0.add("ship", .retry(.attempts(3)), .recover { _, _ in }) { context in _ = try context.require(new) }
    },
    "an optional input": { $0.add(Shipping(), .named("ship")) },
    "a condition": { $0.add("ship", .when(new, is: NewCustomer(age: 1))) { _ in } },
    "items": { $0.forEach(newList, .named("ship")) { _, _ in } },
  ]

  @Test(arguments: reads.keys.sorted()) func `the run is left to the version that can read it`(how: String) async throws
  {
    let read = try #require(Self.reads[how])
    let (ran, store) = (Journal<String>(), try await flow(Journal(), read).cut(settled: 1))
    let outcome = await flow(ran, read).run(id: "a", in: store)
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .mismatchedData && error.flow == "Order")
    #expect(error.remedy.contains("The run is left as it was") && error.remedy.contains("resumed under the same id"))
    let key = try #require(error.key)
    if key == "customer" {
      #expect(error.problem.contains("type <JSON object>, but NOT type <"))
      #expect(error.problem.contains("It can't be decoded: it has no \"age\"."))
    }
    // Nothing was undone, nothing ran at the end, and nothing is in the journal.
    #expect(ran.entries == [] && store.journals["a"].map(Self.settledCount) == 1)
    #expect(outcome.report.undos.isEmpty && outcome.report.summary.contains("The run is left as it was"))
    #expect(try await store.unfinished().map(\.id) == ["a"])
  }

  @Test func `the version that wrote a value goes on where a later one could not`() async throws {
    let (ran, store) = (Journal<String>(), try await begun())
    for how in ["require", "a subscript", "an update", "a read whose error is caught"] {
      let read = try #require(Self.reads[how])
      #expect((await flow(ran, read).run(id: "a", in: store).error as? FlowError)?.code == .mismatchedData)
    }
    #expect(await flow(ran) { $0.add("ship") { _ in ran.append("shipped") } }.run(id: "a", in: store).isSuccess)
    #expect(ran.entries == ["shipped", "ended"])
  }

  private static func settledCount(_ entries: [Data]) -> Int {
    entries.count { $0.first == JournalEntry.Kind.settled.rawValue }
  }

  @Test func `branches on a value that can't be read are not chosen among`() async throws {
    let make = { (isNew: Bool) in
      let flow = Flow("Order").add("pay") { $0[Self.old] = Customer() }
      return flow.cases(on: Self.new) { cases in
        cases.when(NewCustomer(age: 1)) { $0.add("one") { _ in } }
        cases.otherwise { $0.add("other") { _ in } }
      }
    }
    let store = try await make(false).cut(settled: 1)
    let before = store.journals
    let outcome = await make(true).run(id: "a", in: store)
    #expect((outcome.error as? FlowError)?.code == .mismatchedData)
    #expect(store.journals["a"].map(Self.settledCount) == before["a"].map(Self.settledCount))
  }

  @Test func `outputs of items that can't be decoded leave the run, before anything is collected`() async throws {
    let store = MemoryFlowStore()
    let begin = Flow("Items").forEach(in: [1, 2, 3], into: "out" as FlowKey<[Customer]>, width: 1) { _, _ in Customer()
    }
    #expect(await begin.run(id: "a", in: store, durability: .operatingSystem).isSuccess)
    let cut = try store.cut(settled: 3)
    let before = cut.journals
    let ran = Journal<Int>()
    let changed = Flow("Items").forEach(in: [1, 2, 3], into: "out" as FlowKey<[NewCustomer]>, width: 1) { item, _ in
      ran.append(item)
      return NewCustomer(age: item)
    }
    let outcome = await changed.run(id: "a", in: cut)
    #expect((outcome.error as? FlowError)?.code == .mismatchedData && (outcome.error as? FlowError)?.key == "out")
    // The earlier settlements are still there, and the group hasn't ended.
    #expect(cut.journals["a"]?.starts(with: try #require(before["a"])) == true)
    #expect(try await cut.unfinished().map(\.id) == ["a"])
  }

  @Test func `a value that the run has replaced since fails its reader as ever`() async throws {
    let ran = Journal<String>()
    let changed = flow(ran) {
      $0.add("write") { $0[Self.old] = Customer() }.add("ship") { _ = try $0.require(Self.new) }
    }
    let store = try await flow(Journal()) { $0.add("write") { _ in } }.cut(settled: 1)
    let outcome = await changed.run(id: "a", in: store, acceptsChanges: true)
    #expect((outcome.error as? FlowError)?.code == .mismatchedData && ran.entries == ["refunded", "ended"])
    #expect(await changed.run(id: "a", in: store, acceptsChanges: true).hadEnded)
  }

  @Test func `an undo that can't read a value leaves the run, and says what it had failed with`() async throws {
    let make = { (isNew: Bool, undone: Journal<String>) in
      Flow("Order").add("write") { $0[Self.old] = Customer() }
        .add(
          "pay",
          .undo { context in
            if isNew { _ = try context.require(Self.new) } else { _ = try context.require(Self.old) }
            undone.append("refunded")
          }
        ) { _ in }
        .add("ship") { _ in throw TestError(name: "no room") }
    }
    let undone = Journal<String>()
    let store = try await make(false, Journal()).cut(settled: 2)
    let outcome = await make(true, undone).run(id: "a", in: store)
    #expect((outcome.error as? FlowError)?.code == .mismatchedData && undone.entries == [])
    #expect(outcome.report.earlierFailure?.error is TestError)
    let again = await make(false, undone).run(id: "a", in: store)
    #expect((again.error as? FlowStoredError)?.type == "TestError")
    #expect(undone.entries == ["refunded"])
  }

  @Test func `a sealed value that can't be opened refuses the resume, by name`() async throws {
    let token = FlowKey<String>("token", sensitive: true)
    let make = {
      Flow("Sealed").add("write") { $0[token] = "hunter2-s3cr3t" }.add("read") { _ = try $0.require(token) }
    }
    let store = try await make().cut(settled: 1, sealing: .masking)
    let wrong = FlowSealing(seal: { $0 }, open: { _ in throw TestError(name: "wrong key") })
    let before = store.journals
    let error = try #require(await make().run(id: "a", in: store, sealing: wrong).error as? FlowError)
    #expect(error.key == "token" && error.remedy.contains("FlowSealing") && store.journals == before)
    #expect(await make().run(id: "a", in: store, sealing: .masking).isSuccess)
  }
}
