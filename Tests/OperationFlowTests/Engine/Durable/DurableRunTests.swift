import Foundation
import TestSupport
import Testing

@testable import OperationFlow

private struct Handle: Sendable {
  var number = 1
}

extension FlowKey where Value == String {
  fileprivate static var token: Self { FlowKey("token", sensitive: true) }
  fileprivate static var name: Self { "name" }
}

extension FlowKey where Value == Handle {
  fileprivate static var handle: Self { "handle" }
  fileprivate static var unstored: Self { FlowKey("unstored", isStored: false) }
}

@Suite(.watched) struct DurableRunTests {
  private func code(_ outcome: FlowOutcome) -> FlowError.Code? { (outcome.error as? FlowError)?.code }

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
    // Whatever the flow is by then.
    let other = await Flow("Other").add("more") { _ in ran.add() }.run(id: "a", in: store)
    #expect(other.isSuccess && ran.count == 1 && other.report[.name] == "ann")
  }

  @Test func `a second call with the same identifier learns who holds it`() async {
    let (store, signal, began) = (MemoryFlowStore(), Signal(), Tally())
    let flow = Flow("Held").add("one") { _ async in
      began.add()
      await signal.wait()
    }
    async let first = flow.run(id: "a", in: store)
    await began.reach(1)
    let second = await Flow("Held").add("one") { _ in }.run(id: "a", in: store)
    #expect(code(second) == .runInUse)
    signal.fire()
    #expect(await first.isSuccess)
  }

  @Test func `a flow of another shape is refused with the step that differs`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Shape").add("one") { _ in }.add("two") { _ in }
    _ = await flow.run(id: "a", in: store)
    let cut = MemoryFlowStore(["a": Array(try #require(store.journals["a"]).prefix(2))])
    let other = await Flow("Shape").add("one") { _ in }.add("zwei") { _ in }.run(id: "a", in: cut)
    #expect(code(other) == .changedFlow)
    #expect("\(try #require(other.error))".contains("2. two"))
    #expect("\(try #require(other.error))".contains("2. zwei"))
    #expect(cut.journals["a"]?.count == 2)
    #expect(await flow.run(id: "a", in: cut).isSuccess)
  }

  @Test func `a value that is not Codable fails the step that writes it`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Handles").add("one") { context in context[.name] = "ann" }
      .add("two") { context in context[.handle] = Handle() }
    let outcome = await flow.run(id: "a", in: store)
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .valueNotStorable && error.step == "[two]" && error.key == "handle")
    #expect(error.problem.contains("<handle>") && error.problem.contains("Handle"))
  }

  @Test func `a key that is not stored is missing after the run was resumed, unless it is given again`() async throws {
    let (store, read) = (MemoryFlowStore(), Journal<Int>())
    let flow = Flow("Handles").add("one") { context in context[.unstored] = Handle(number: 7) }
      .add("two") { context in read.append(try context.require(.unstored).number) }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    let cut = Array(try #require(store.journals["a"]).prefix(2))
    let missing = await flow.run(id: "a", in: MemoryFlowStore(["a": cut]))
    let error = try #require(missing.error as? FlowError)
    #expect(error.code == .missingData && error.problem.contains("isn't stored"))
    let given = await flow.run(id: "a", in: MemoryFlowStore(["a": cut])) { $0[.unstored] = Handle(number: 8) }
    #expect(given.isSuccess && read.entries == [7, 8])
  }

  @Test func `initial data that is not Codable is given again with each start`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Client").set(.handle, to: Handle(number: 3)).add("one") { _ in }
      .add("two") { context in context[.name] = "\(try context.require(.handle).number)" }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    let cut = MemoryFlowStore(["a": Array(try #require(store.journals["a"]).prefix(2))])
    #expect(await flow.run(id: "a", in: cut).report[.name] == "3")
  }

  @Test func `sensitive values are in no entry`() async throws {
    let (store, secret) = (MemoryFlowStore(), "s3cr3t-value")
    let make = {
      Flow("Secrets").markSensitive("items").set(.token, to: secret)
        .add("one") { context in
          context.log(secret)
          context[.token] = secret + "2"
          context[FlowKey<[String]>("items", sensitive: true)] = [secret]
        }
        .forEach(FlowKey<[String]>("items", sensitive: true), width: 1, tolerating: .all) { item, _ in
          throw TestError(name: "item")
        }
        .add("two") { context in context[.name] = "\(try context.require(.token).count)" }
    }
    let outcome = await make().run(id: "a", in: store)
    #expect(outcome.isSuccess)
    let entries = try #require(store.journals["a"])
    #expect(entries.allSatisfy { $0.range(of: Data(secret.utf8)) == nil })
    // The journal doesn't have what the first step wrote, so the values that are given count.
    let cut = MemoryFlowStore(["a": Array(entries.prefix(2))])
    let resumed = await make().run(id: "a", in: cut, with: ["items": [secret], "token": secret])
    #expect(resumed.isSuccess && resumed.report[.name] == "\(secret.count)")
  }

  @Test func `a resume that needs a sensitive value says how to give it`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Secrets").add("one") { context in context[.token] = "abc" }
      .add("two") { context in context[.name] = try context.require(.token) + "!" }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    let cut = Array(try #require(store.journals["a"]).prefix(2))
    let missing = await flow.run(id: "a", in: MemoryFlowStore(["a": cut]))
    let error = try #require(missing.error as? FlowError)
    #expect(error.code == .missingData && error.remedy.contains("run(id:in:with:)"))
    let given = await flow.run(id: "a", in: MemoryFlowStore(["a": cut]), with: ["token": "abc"])
    #expect(given.report[.name] == "abc!")
  }

  @Test func `sealed values survive, and are in no entry as they are`() async throws {
    let sealing = FlowSealing(seal: { Data($0.map { $0 ^ 0x55 }) }, open: { Data($0.map { $0 ^ 0x55 }) })
    let store = MemoryFlowStore()
    let flow = Flow("Secrets").add("one") { context in context[.token] = "s3cr3t" }
      .add("two") { context in context[.name] = "\(try context.require(.token).count)" }
    #expect(await flow.run(id: "a", in: store, sealing: sealing).isSuccess)
    let entries = try #require(store.journals["a"])
    #expect(entries.allSatisfy { $0.range(of: Data("s3cr3t".utf8)) == nil })
    let cut = Array(entries.prefix(2))
    #expect(await flow.run(id: "a", in: MemoryFlowStore(["a": cut]), sealing: sealing).report[.name] == "6")
    let without = await flow.run(id: "a", in: MemoryFlowStore(["a": cut]))
    #expect(code(without) == .missingData)
  }

  @Test func `a group with sensitive outputs needs a way to seal them`() async throws {
    let output = FlowKey<[String]>("tokens", sensitive: true)
    let make = { Flow("Outputs").forEach(in: 0..<2, into: output, width: 1) { number, _ in "s3cr3t\(number)" } }
    #expect(code(await make().run(id: "a", in: MemoryFlowStore())) == .valueNotStorable)
    let sealing = FlowSealing(seal: { Data($0.map { $0 ^ 0x55 }) }, open: { Data($0.map { $0 ^ 0x55 }) })
    try await DurableCheck(make: { _ in make() }, sealing: sealing).check()
  }

  @Test func `unfinished runs are listed with how far they came`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Publish").add("one") { _ in }.forEach(in: 0..<3, width: 1) { _, _ in }.add("two") { _ in }
    #expect(await flow.run(id: "a", in: store).isSuccess)
    let entries = try #require(store.journals["a"])
    let cut = MemoryFlowStore(["a": entries, "b": Array(entries.prefix(4)), "c": []])
    let unfinished = try await cut.unfinished()
    #expect(unfinished.map(\.id) == ["b"])
    #expect(unfinished.first?.flowName == "Publish")
    #expect(unfinished.first?.settledStepCount == 1 && unfinished.first?.settledItemCount == 1)
  }

  @Test func `a cancelled run has ended`() async throws {
    let (store, began) = (MemoryFlowStore(), Tally())
    let flow = Flow("Cancelled").add("one") { _ async throws in
      began.add()
      try await Task.sleep(for: .seconds(3600))
    }
    async let outcome = flow.run(id: "a", in: store)
    await began.reach(1)
    flow.cancel()
    guard case .cancelled = await outcome else {
      Issue.record("not cancelled")
      return
    }
    let again = await flow.run(id: "a", in: store)
    #expect(again.report.cancellation == .call && began.count == 1)
  }

  @Test func `a cancel that was decided before the process ended stays decided`() async throws {
    let (store, began, cleaned) = (MemoryFlowStore(), Tally(), Tally())
    let make = {
      Flow("Cancelled")
        .add("done", .undo { _ in cleaned.add() }) { _ in }
        .add("one") { _ async throws in
          began.add()
          try await Task.sleep(for: .seconds(3600))
        }
    }
    let flow = make()
    async let outcome = flow.run(id: "a", in: store)
    await began.reach(1)
    flow.cancel()
    _ = await outcome
    let entries = try #require(store.journals["a"])
    for count in 3..<entries.count {
      let resumed = await make().run(id: "a", in: MemoryFlowStore(["a": Array(entries.prefix(count))]))
      #expect(resumed.report.cancellation == .call, "after \(count)")
      #expect(resumed.report.undos.count == 1)
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
    // The beginning, two steps, the plan, the end of the sequence, the collecting, 100 items, and the end.
    #expect(store.journals["a"]?.count == 107)
    #expect(await flow.run(id: "a", in: store).report[FlowKey<[Int]>("numbers")] == Array(0..<100))
  }

  @Test func `idempotency keys are the same for every attempt, and differ for undos`() async {
    let keys = Journal<String>()
    let flow = Flow("Keys")
      .add("one", .retry(.attempts(2)), .undo { keys.append($0.idempotencyKey) }) { context in
        keys.append(context.idempotencyKey)
        if context.attempt == 1 { throw TestError(name: "first") }
      }
      .add("two") { _ in throw TestError(name: "end") }
    _ = await flow.run(id: "a", in: MemoryFlowStore())
    #expect(keys.entries == ["a/1. one", "a/1. one", "a/1. one/undo"])
    _ = await flow.run()
    _ = await flow.run()
    let random = Array(keys.entries.dropFirst(3))
    #expect(random[0] == random[1] && random[0] != random[3] && random[0].hasSuffix("/1. one"))
  }
}
