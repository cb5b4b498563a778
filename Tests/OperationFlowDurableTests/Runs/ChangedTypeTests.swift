import Foundation
import OperationFlowReports
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

extension FlowKey where Value == Int {
  fileprivate static var count: Self { "count" }
}

extension FlowKey where Value == String {
  fileprivate static var count: Self { "count" }
}

extension FlowKey where Value == [Int] {
  fileprivate static var list: Self { "list" }
}

extension FlowKey where Value == [String] {
  fileprivate static var list: Self { "list" }
}

private final class Counting: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  @FlowInput("count") var count: String

  override func mainLogic() { finishSuccessfully() }
}

private final class MaybeCounting: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  @FlowInput("count") var count: String?

  override func mainLogic() { finishSuccessfully() }
}

private final class Getting: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own.
  private let isOptional: Bool

  init(isOptional: Bool) { self.isOptional = isOptional }

  override func mainLogic() {
    let _: String? = getData(name: "count", isOptional: isOptional)
    finishSuccessfully()
  }
}

/// A stored value of one of the language's types that a new version reads as another type fails no step.
@Suite(.watched) struct ChangedTypeTests {
  private static let old: FlowKey<Int> = .count
  private static let new: FlowKey<String> = .count

  private func flow(_ ran: Journal<String>, _ last: (Flow) -> Flow) -> Flow {
    let flow = Flow("Order").add("pay", .undo { _ in ran.append("refunded") }) { context in
      context[Self.old] = 7
      context[FlowKey<[Int]>.list] = [1, 2]
    }
    return last(flow).always("end") { $0.add("end") { _ in ran.append("ended") } }
  }

  private static let reads: [String: @Sendable (Flow) -> Flow] = [
    "require": { $0.add("ship") { _ = try $0.require(new) } },
    "require a double": { $0.add("ship") { _ = try $0.require("count" as FlowKey<Double>) } },
    "a read whose error is caught": { $0.add("ship") { _ = try? $0.require(new) } },
    "an update": { $0.add("ship") { $0.update(new, default: "") { $0 += "!" } } },
    "a read with a recovery": {
      $0.add("ship", .retry(.attempts(3)), .recover { _, _ in }) { _ = try $0.require(new) }
    },
    "an input": { $0.add(Counting(), .named("ship")) },
    "getData": { $0.add(Getting(isOptional: false), .named("ship")) },
    "items": { $0.forEach(FlowKey<[String]>.list, .named("ship")) { _, _ in } },
  ]

  @Test(arguments: reads.keys.sorted()) func `the run is left to the version that can read it`(how: String) async throws
  {
    let read = try #require(Self.reads[how])
    let (ran, store) = (Journal<String>(), try await flow(Journal(), read).cut(settled: 1))
    let outcome = await flow(ran, read).run(id: "a", in: store)
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .mismatchedData && error.flow == "Order" && error.step?.contains("ship") == true)
    let isList = how == "items"
    #expect(error.key == (isList ? "list" : "count"))
    #expect(error.problem.contains(isList ? "<Array<Int>>, but NOT type <Array<String>>" : "<Int>, but NOT type <"))
    #expect(error.remedy.contains(isList ? "Read <list> as Array<Int>" : "Read <count> as Int"))
    #expect(
      error.remedy.contains("The run is left as it was") && error.remedy.contains("by the version of the program"))
    #expect(ran.entries == [] && outcome.report.undos.isEmpty)
    #expect(try await store.unfinished().map(\.settledStepCount) == [1])
    // The version that wrote the value can resume the run.
    let again = await flow(ran) { $0.add("ship") { _ = try $0.require(Self.old) } }
      .run(id: "a", in: store, acceptsChanges: true)
    #expect(again.isSuccess || again.code == .changedFlow, "\(again)")
  }

  @Test func `one who can do without the value goes on as ever`() async throws {
    let make = { (ran: Journal<String>) in
      flow(ran) {
        $0.add(MaybeCounting()).add(Getting(isOptional: true)).add("never", .when(Self.new, is: "7")) { _ in }
          .cases(on: Self.new) { $0.when("7") { $0.addNothing() }.otherwise { $0.addNothing() } }
          .add("either") { context in
            // Code may try one type after the other.
            if let text = context[Self.new] { ran.append(text) } else { ran.append("\(try context.require(Self.old))") }
          }
      }
    }
    let ran = Journal<String>()
    #expect(await make(ran).run(id: "a", in: try await make(Journal()).cut(settled: 1)).isSuccess)
    #expect(ran.entries == ["7", "ended"])
  }

  @Test func `a value that the process has written since fails its reader as ever`() async throws {
    let ran = Journal<String>()
    let make = { (ran: Journal<String>) in
      flow(ran) { $0.add("write") { $0[Self.old] = 8 }.add("ship") { _ = try $0.require(Self.new) } }
    }
    let outcome = await make(ran).run(id: "a", in: try await make(Journal()).cut(settled: 1))
    #expect((outcome.error as? FlowError)?.code == .mismatchedData && ran.entries == ["refunded", "ended"])
    #expect((outcome.error as? FlowError)?.remedy.contains("left") == false)
  }

  @Test func `a value that was passed to the call fails its reader as ever`() async throws {
    let make = { Flow("Given").add("one") { _ in }.add("ship") { _ = try $0.require(Self.new) } }
    let store = try await make().cut(settled: 1)
    let outcome = await make().run(id: "a", in: store, with: ["count": 7])
    #expect((outcome.error as? FlowError)?.code == .mismatchedData)
    #expect(try await store.unfinished().isEmpty)
  }

  @Test func `outputs of items that have another type now leave the run`() async throws {
    let ran = Journal<String>()
    let make = { (isNew: Bool, ran: Journal<String>) in
      let flow = Flow("Items")
      let undo = { @Sendable (context: FlowContext) in
        ran.append(isNew ? try context.output(as: String.self) : "\(try context.output(as: Int.self))")
      }
      _ =
        isNew
        ? flow.forEach(in: [1, 2, 3], into: "out" as FlowKey<[String]>, width: 1, .undo(undo)) { item, _ in "\(item)" }
        : flow.forEach(in: [1, 2, 3], into: "out" as FlowKey<[Int]>, width: 1, .undo(undo)) { item, _ in item }
      return flow.add("fail") { _ in throw TestError() }
    }
    // Cuts while items run, before they are collected, and while they are undone.
    for settled in [3, 4, 6] {
      let store = try await make(false, Journal()).cut(settled: settled)
      let outcome = await make(true, ran).run(id: "a", in: store)
      let error = try #require(outcome.error as? FlowError)
      #expect(error.code == .mismatchedData && error.key == "out", "\(settled): \(error)")
      #expect(error.problem.contains("<Int>, but NOT type <String>") && error.remedy.contains("is left as it was"))
      #expect(settled == 6 || store.journals["a"]?.count == settled + 1)
      #expect(try await store.unfinished().map(\.id) == ["a"] && ran.entries == [])
      let again = Journal<String>()
      let end = await make(false, again).run(id: "a", in: store)
      #expect(end.error is TestError || (end.error as? FlowStoredError)?.type == "TestError", "\(settled): \(end)")
      #expect(again.entries == ["3", "2", "1"])
    }
  }

  @Test func `outputs that have another type now, and that nobody needs, leave nothing`() async throws {
    let make = { (isNew: Bool) in
      let flow = Flow("Items")
      _ =
        isNew
        ? flow.forEach(in: [1, 2, 3], into: "out" as FlowKey<[String]>, width: 1) { item, _ in "\(item)" }
        : flow.forEach(in: [1, 2, 3], into: "out" as FlowKey<[Int]>, width: 1) { item, _ in item }
      return flow.add("last") { _ in }
    }
    let outcome = await make(true).run(id: "a", in: try await make(false).cut(settled: 6))
    #expect(outcome.isSuccess, "\(outcome)")
  }
}
