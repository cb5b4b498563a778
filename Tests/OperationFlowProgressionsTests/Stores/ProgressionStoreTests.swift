import Foundation
import TestSupport
import Testing

@testable import OperationFlowProgressions

/// Stores steps in memory, and fails in one operation.
private struct BrokenStore: ProgressionStore {
  enum Fault: Equatable { case save(String), load, clear }
  let memory = MemoryProgressionStore()
  let fault: Fault

  func save(_ step: Data, under key: String) throws {
    if case .save(let name) = fault, String(decoding: step, as: UTF8.self).contains("\"\(name)\"") { throw TestError() }
    memory.save(step, under: key)
  }
  func load(_ key: String) throws -> Data? {
    if fault == .load { throw TestError() }
    return memory.load(key)
  }
  func clear(_ key: String) throws {
    if fault == .clear { throw TestError() }
    memory.clear(key)
  }
}

@Suite(.watched) struct ProgressionStoreTests {
  private func flow(_ store: any ProgressionStore) -> Flow {
    Flow("Post").set(.parcel, to: .packed("a")).progress("send", from: .parcel, into: .receipt, store: store, as: "p")
  }

  @Test func `a failed run goes on with the step that failed, and no completed step runs again`() async throws {
    let (store, work) = (MemoryProgressionStore(), Journal<String>())
    let failed = await Parcel.$work.withValue({ step in
      work.append(step)
      if step == "signed" { throw TestError() }
    }) { await flow(store).run() }
    #expect(failed.error is TestError)
    let report = try await Parcel.$work.withValue({ work.append($0) }) { try await flow(store).run().get() }
    #expect(work.entries == ["packed", "sent", "signed", "signed"])
    #expect(report[.receipt] == "a!")
    #expect(report.steps(of: "[send]") == ["signed", "delivered"])
    #expect(report.summary.contains("[send] goes on from the step stored as <p>"))
    #expect(store.steps.isEmpty)
  }

  @Test func `what was reached is saved before it runs, the first step and the result among them`() async {
    let store = MemoryProgressionStore()
    let saved = Journal<Parcel?>()
    let outcome = await Parcel.$work.withValue({ _ in
      saved.append(try store.load("p").map { try JSONDecoder().decode(Parcel.self, from: $0) })
    }) { await flow(store).run() }
    #expect(outcome.isSuccess)
    #expect(saved.entries == [.packed("a"), .sent("a", secret: "hunter2"), .signed("a", by: 7)])
    let broken = BrokenStore(fault: .clear)
    #expect(await flow(broken).run().code == .storeFailed)
    #expect(broken.memory.steps["p"].map { String(decoding: $0, as: UTF8.self) }?.contains("delivered") == true)
  }

  @Test func `a cancelled run has saved the step that it reached`() async throws {
    /// Does nothing in a cancelled task, as a client of a server may.
    struct ObedientStore: ProgressionStore {
      let memory = MemoryProgressionStore()
      func save(_ step: Data, under key: String) throws {
        try Task.checkCancellation()
        memory.save(step, under: key)
      }
      func load(_ key: String) -> Data? { memory.load(key) }
      func clear(_ key: String) { memory.clear(key) }
    }
    let (store, work) = (ObedientStore(), Journal<String>())
    let flow = flow(store)
    let cancelled = await Parcel.$work.withValue({ step in
      work.append(step)
      if step == "sent" {
        flow.cancel()
        // The run's task may still be starting. Then the code that starts the task cancels it a moment later.
        await untilCancelled()
      }
    }) { await flow.run() }
    #expect(cancelled.isCancelled)
    _ = try await Parcel.$work.withValue({ work.append($0) }) { try await self.flow(store).run().get() }
    #expect(work.entries == ["packed", "sent", "signed"])
  }

  @Test func `if a step is stored, the first step isn't asked for`() async throws {
    let step = try JSONEncoder().encode(Parcel.signed("x", by: 1))
    let store = MemoryProgressionStore(["p": step, "other": step])
    let flow = Flow().progress("send", into: .receipt, store: store, as: "p") { _ -> Parcel in throw TestError() }
    #expect(try await flow.run().get()[.receipt] == "x!")
    #expect(store.steps.keys.sorted() == ["other"])
  }

  @Test func `the result is written before the store is cleared`() async {
    let outcome = await flow(BrokenStore(fault: .clear)).run()
    #expect(outcome.report[.receipt] == "a!")
    #expect(outcome.code == .storeFailed)
  }

  @Test func `a step that can't be decoded is an error without its values, and stays as it is`() async throws {
    for (text, place) in [
      (#"{"signed":{"_0":"secret text"}}"#, "there is no signed.by"), (#"{"lost":{"_0":"secret text"}}"#, "at its top"),
      ("secret text", "it is broken at its top"), ("", "it is broken at its top"),
      (#"{"signed":{"_0":"a","by":"secret text"}}"#, "there is no Int at signed.by"),
    ] {
      let stored = ["p": Data(text.utf8)]
      let store = MemoryProgressionStore(stored)
      let outcome = await Parcel.$work.withValue({ _ in Issue.record("ran") }) { await flow(store).run() }
      let error = try #require(outcome.error as? FlowError)
      #expect(error.code == .unreadableStep && error.key == "p" && error.flow == "Post" && error.step == "[send]")
      #expect(error.problem.contains(place), "\(error)")
      #expect(error.remedy.contains("clear <p> in the store"))
      #expect(!outcome.report.summary.contains("secret text"))
      #expect(store.steps == stored)
    }
  }

  @Test func `a store that fails is a clear error, and the run can be repeated`() async throws {
    for fault in [BrokenStore.Fault.save("packed"), .save("signed"), .load, .clear] {
      let store = BrokenStore(fault: fault)
      let outcome = await flow(store).run()
      let error = try #require(outcome.error as? FlowError, "\(fault)")
      #expect(error.code == .storeFailed && error.key == "p" && error.problem.contains("TestError"))
      #expect(error.description.hasPrefix("flow \"Post\", step [send]: the progression stored as <p> could not be "))
      #expect(try await flow(store.memory).run().get()[.receipt] == "a!")
    }
  }

  @Test func `a step that can't be encoded is a clear error, and what was saved stays`() async throws {
    let store = MemoryProgressionStore()
    let outcome = await Flow().progress("halve", store: store, as: "h") { _ in Halving(number: 1) }.run()
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .storeFailed && error.problem.contains("the fault is at number"))
    #expect(store.steps["h"] == Data(#"{"number":1}"#.utf8))
  }

  @Test func `a store that fails because it is cancelled fails the step, since the run goes on`() async {
    struct Cancelling: ProgressionStore {
      func save(_ step: Data, under key: String) throws { throw CancellationError() }
      func load(_ key: String) -> Data? { nil }
      func clear(_ key: String) {}
    }
    #expect(await flow(Cancelling()).run().code == .storeFailed)
  }
}

/// Becomes a number that JSON can't express.
private struct Halving: Progression, Codable {
  var number: Double
  mutating func advance() async throws { number = .nan }
  var result: Double? { number.isNaN ? number : nil }
}
