import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Runs that are refused, or cancelled, before they go on.
@Suite(.watched) struct RefusedRunTests {
  private static func isCancelled(_ outcome: FlowOutcome) -> Bool {
    if case .cancelled = outcome { true } else { false }
  }

  @Test func `a run that is refused removes no journal, and a later one begins`() async throws {
    let store = HookedStore()
    let refused = await Flow("Bad").add("one", .reads(FlowKey<String>("missing"))) { _ in }.run(id: "a", in: store)
    #expect(!refused.isSuccess && store.removals.count == 0)
    #expect(try await store.unfinished() == [])
    #expect(await Flow("Good").add("one") { _ in }.run(id: "a", in: store).isSuccess)
    #expect(store.memory.journals["a"]?.count == 3)
  }

  @Test func `the entries of a run that was resumed are freed while it runs`() async throws {
    let (first, freed) = (MemoryFlowStore(), Tally())
    #expect(await Flow("Freed").add("one") { _ in }.add("two") { _ async in }.run(id: "a", in: first).isSuccess)
    let entries = Array(try #require(first.journals["a"]).prefix(2))
    let store = HookedStore(["a": entries]) { hooks in
      hooks.found = { entries in
        entries.map { entry in
          let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: entry.count)
          _ = copy.initialize(from: entry)
          guard let base = copy.baseAddress else { return entry }
          return Data(
            bytesNoCopy: base, count: entry.count,
            deallocator: .custom { pointer, _ in
              pointer.deallocate()
              freed.add()
            })
        }
      }
    }
    let flow = Flow("Freed").add("one") { _ in }.add("two") { _ async in await freed.reach(entries.count) }
    #expect(await flow.run(id: "a", in: store).isSuccess)
  }

  @Test func `a cancellation while a journal is opened cancels the run`() async {
    let store = HookedStore { hooks in hooks.opening = { throw CancellationError() } }
    let outcome = await Flow("Cancelled").add("one") { _ in }.run(id: "a", in: store)
    #expect(Self.isCancelled(outcome) && outcome.report.cancellation != nil)
  }

  @Test func `a cancellation while a run is restored cancels it`() async throws {
    let key = FlowKey<[Int]>("numbers")
    let make = { (numbers: AsyncStream<Int>) in
      Flow("Stream").forEach(in: numbers, into: key, width: 1) { number, _ in number }
    }
    let first = MemoryFlowStore()
    let numbers = AsyncStream { continuation in
      for number in 0..<3 { continuation.yield(number) }
      continuation.finish()
    }
    #expect(await make(numbers).run(id: "a", in: first).isSuccess)
    let store = MemoryFlowStore(["a": Array(try #require(first.journals["a"]).prefix(4))])
    let waits = Signal()
    let flow = Flow("Stream").forEach(in: Waiting(began: waits), into: key, width: 1) { number, _ in number }
    let task = Task { await flow.run(id: "a", in: store) }
    await waits.wait()
    task.cancel()
    #expect(Self.isCancelled(await task.value))
    // Nothing was lost.
    #expect(store.journals["a"]?.count == 4)
  }

  @Test func `an error of a sequence while a run is restored is the run's error`() async throws {
    let (key, first) = (FlowKey<[Int]>("numbers"), MemoryFlowStore())
    let numbers = AsyncThrowingStream<Int, any Error> { continuation in
      for number in 0..<3 { continuation.yield(number) }
      continuation.finish()
    }
    let flow = Flow("Stream").forEach(in: numbers, into: key, width: 1) { number, _ in number }
    #expect(await flow.run(id: "a", in: first).isSuccess)
    let store = MemoryFlowStore(["a": Array(try #require(first.journals["a"]).prefix(4))])
    let broken = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError(name: "offline")) }
    let outcome = await Flow("Stream").forEach(in: broken, into: key, width: 1) { number, _ in number }
      .run(id: "a", in: store)
    #expect(outcome.error.map { "\($0)" }?.contains("offline") == true && outcome.error is TestError)
    #expect(outcome.failure != nil && store.journals["a"]?.count == 4)
  }
}

/// A sequence that has no element before its task is cancelled.
private struct Waiting: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Element = Int
  let began: Signal

  func makeAsyncIterator() -> Waiting { self }

  func next() async throws -> Int? {
    began.fire()
    try await Task.sleep(for: .seconds(3_600))
    return nil
  }
}
