import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

private struct Handle: Sendable {
  var number = 1
}

extension FlowKey where Value == String {
  fileprivate static var name: Self { "name" }
}

extension FlowKey where Value == Handle {
  fileprivate static var handle: Self { "handle" }
}

@Suite(.watched) struct DurableRunTests {
  @Test func `a run that has ended returns its outcome and runs nothing`() async {
    let (store, ran) = (MemoryFlowStore(), Tally())
    let make = {
      Flow("Once").add("one") { context in
        ran.add()
        context[.name] = "ann"
      }
    }
    let first = await make().run(id: "a", in: store)
    let second = await make().run(id: "a", in: store)
    #expect(first.isSuccess && second.isSuccess && ran.count == 1)
    #expect(second.report[.name] == "ann" && second.report.data["name"] as? String == "ann")
    #expect(second.report.stepCount == 1 && second.report.duration == first.report.duration)
    // The steps of the flow don't matter any more.
    let other = await Flow("Once").add("more") { _ in ran.add() }.run(id: "a", in: store)
    #expect(other.isSuccess && ran.count == 1 && other.report[.name] == "ann")
  }

  @Test func `a second call with the same identifier learns who holds it`() async {
    let (store, signal, began) = (MemoryFlowStore(), Signal(), Tally())
    let flow = Flow("Held").add("one") { _ async in await began.add(thenAwait: signal) }
    async let first = flow.run(id: "a", in: store)
    await began.reach(1)
    let second = await Flow("Held").add("one") { _ in }.run(id: "a", in: store)
    #expect(second.code == .runInUse)
    signal.fire()
    #expect(await first.isSuccess)
  }

  @Test func `a value that is not Codable fails the step that writes it, at once`() async throws {
    let attempts = Tally()
    let flow = Flow("Handles").add("one") { $0[.name] = "ann" }.add("two", .retry(.attempts(3))) { context in
      attempts.add()
      context[.handle] = Handle()
    }
    let error = try #require(await flow.run(id: "a", in: MemoryFlowStore()).error as? FlowError)
    #expect(error.code == .valueNotStorable && error.step == "[two]" && error.key == "handle" && attempts.count == 1)
    #expect(error.problem.contains("<handle>") && error.problem.contains("Handle"))
  }

  @Test func `initial data that is not Codable is given again with each start`() async throws {
    let flow = Flow("Client").set(.handle, to: Handle(number: 3)).add("one") { _ in }
      .add("two") { $0[.name] = "\(try $0.require(.handle).number)" }
    #expect(await flow.run(id: "a", in: try await flow.cut(settled: 1)).report[.name] == "3")
  }

  @Test func `sensitive values are in no entry`() async throws {
    let (store, secret) = (MemoryFlowStore(), "s3cr3t-value")
    let (token, items) = (FlowKey<String>("token", sensitive: true), FlowKey<[String]>("items", sensitive: true))
    let flow = Flow("Secrets").markSensitive("items").set(token, to: secret)
      .add("one") { context in
        context.log(secret)
        context[token] = secret + "2"
        context[items] = [secret]
      }
      .forEach(items, width: 1, tolerating: .all) { _, _ in throw TestError(name: "item") }
      .add("two") { context in context[.name] = "\(try context.require(token).count)" }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    #expect(store.journals["a"]?.allSatisfy { $0.range(of: Data(secret.utf8)) == nil } == true)
    // The journal lacks the output of the first step, so the given values apply.
    let resumed = await flow.run(id: "a", in: try store.cut(settled: 1), with: ["items": [secret], "token": secret])
    #expect(resumed.isSuccess && resumed.report[.name] == "\(secret.count)")
  }

  @Test func `unfinished runs are listed with how far they came`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Publish").add("one") { _ in }.forEach(in: 0..<3, width: 1) { _, _ in }.add("two") { _ in }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"]).withoutBegins
    let cut = MemoryFlowStore(["a": entries, "b": Array(entries.prefix(4)), "c": []])
    let unfinished = try await cut.unfinished()
    #expect(unfinished.map(\.id) == ["b"] && unfinished.map(\.flowName) == ["Publish"])
    #expect(unfinished.map(\.settledStepCount) == [1] && unfinished.map(\.settledItemCount) == [1])
  }

  @Test func `a cancel stays decided, whether the run had ended or its process before it`() async throws {
    let (store, began, cleaned) = (MemoryFlowStore(), Tally(), Tally())
    let flow = Flow("Cancelled").add("done", .undo { _ in cleaned.add() }) { _ in }
      .add("one") { _ async throws in
        began.add()
        try await Task.sleep(for: .seconds(3600))
      }
    async let outcome = flow.run(id: "a", in: store)
    await began.reach(1)
    flow.cancel()
    #expect(await outcome.isCancelled)
    for count in 2..<(store.journals["a"]?.withoutBegins.count ?? 0) {
      let resumed = await flow.run(id: "a", in: try store.cut(settled: count))
      #expect(resumed.report.cancellation == .call && resumed.report.undos.count == 1, "after \(count)")
    }
    #expect(began.count == 1)
  }

  @Test(arguments: [FlowDurability.everySettlement, .grouped(), .grouped(within: .zero), .operatingSystem])
  func `whatever the durability, all is in the journal at the end`(durability: FlowDurability) async {
    let store = MemoryFlowStore()
    let flow = Flow("All").add("one") { _ in }.forEach(in: 0..<100, into: FlowKey<[Int]>("numbers"), width: 8) {
      number, _ async in
      await Task.yield()
      return number
    }.add("two") { _ async in }
    #expect(await flow.run(id: "a", in: store, durability: durability).isSuccess)
    // The beginning, two steps, the plan, the end of the sequence, the collection, 100 items, and the end.
    #expect(store.journals["a"]?.withoutBegins.count == 107)
    #expect(await flow.run(id: "a", in: store).report[FlowKey<[Int]>("numbers")] == Array(0..<100))
  }

  @Test func `a value is described once at the end, for its journal and its record`() async {
    struct Counted: Codable, Sendable, CustomStringConvertible {
      static let count = Tally()
      var number = 1
      var description: String {
        Self.count.add()
        return "counted"
      }
    }
    let flow = Flow("Counts").recording(.none).add("one") { $0["value"] = Counted() }
    let outcome = await flow.run(id: "a", in: MemoryFlowStore())
    #expect(outcome.isSuccess && Counted.count.count == 1)
    guard case .flowFinished(_, let items)? = outcome.report.events.last?.kind else {
      return #expect(Bool(false), "the run has no end")
    }
    #expect(items.map(\.text) == ["counted"] && Counted.count.count == 1)
  }
}
