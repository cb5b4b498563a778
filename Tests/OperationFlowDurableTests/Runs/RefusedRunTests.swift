import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// Runs that are refused or cancelled before they start or resume.
@Suite(.watched) struct RefusedRunTests {
  @Test func `a run that is refused removes no journal, and a later one begins`() async throws {
    let store = HookedStore()
    let refused = await Flow("Bad").add("one", .reads(FlowKey<String>("missing"))) { _ in }.run(id: "a", in: store)
    #expect(!refused.isSuccess && store.removals.count == 0)
    #expect(try await store.unfinished() == [])
    #expect(await Flow("Good").add("one") { _ in }.run(id: "a", in: store).isSuccess)
    #expect(store.memory.journals["a"]?.withoutBegins.count == 3)
  }

  @Test func `the entries of a run that was resumed are freed while it runs`() async throws {
    let freed = Tally()
    let cut = try await Flow("Freed").add("one") { _ in }.add("two") { _ async in }.cut(settled: 1)
    let store = HookedStore(cut.journals) { hooks in
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
    let flow = Flow("Freed").add("one") { _ in }.add("two") { _ async in await freed.reach(2) }
    #expect(await flow.run(id: "a", in: store).isSuccess)
  }

  @Test func `a cancellation while a journal is opened cancels the run`() async {
    let store = HookedStore { hooks in hooks.opening = { throw CancellationError() } }
    let outcome = await Flow("Cancelled").add("one") { _ in }.run(id: "a", in: store)
    #expect(outcome.isCancelled && outcome.report.cancellation != nil)
  }

  /// Returns a flow whose first step can be undone; all its work is counted.
  private func charging(_ work: Tally) -> Flow {
    Flow("Charge").add("charge", .undo { _ in work.add() }) { _ in work.add() }
      .add("mail") { _ async in work.add() }
      .always { $0.add("clean up") { _ in work.add() } }
  }

  @Test func `a task that is cancelled already begins nothing, and leaves no journal`() async throws {
    let (store, work) = (HookedStore { $0.opening = { fail("opened") } }, Tally())
    let outcome = await inCancelledTask { await charging(work).run(id: "a", in: store) }
    #expect(outcome.isCancelled && outcome.report.cancellation == .task && work.count == 0)
    #expect(try await store.unfinished() == [])
  }

  @Test func `a run that a cancelled task resumes is left to be resumed, and nothing is undone`() async throws {
    let store = try await charging(Tally()).cut(settled: 1)
    let (entries, work) = (store.journals["a"], Tally())
    let outcome = await inCancelledTask { await charging(work).run(id: "a", in: store) }
    #expect(outcome.isCancelled && work.count == 0 && store.journals["a"] == entries)
    #expect(await charging(work).run(id: "a", in: store).isSuccess && work.count == 2)
  }

  @Test(arguments: [false, true])
  func `a task that is cancelled while the journal is opened begins nothing`(hasBegun: Bool) async throws {
    let found = hasBegun ? try await charging(Tally()).cut(settled: 1) : MemoryFlowStore()
    let (opens, isCancelled, work) = (Signal(), Gate(), Tally())
    let store = HookedStore(found.journals) { hooks in
      hooks.opening = {
        opens.fire()
        isCancelled.pass()
      }
    }
    let task = Task { await charging(work).run(id: "a", in: store) }
    await opens.wait()
    task.cancel()
    isCancelled.open()
    #expect(await task.value.isCancelled && work.count == 0)
    #expect(store.memory.journals["a"] ?? [] == found.journals["a"] ?? [])
    #expect(await charging(work).run(id: "a", in: store).isSuccess && work.count == (hasBegun ? 2 : 3))
  }

  private let key = FlowKey<[Int]>("numbers")

  /// Returns the journal of a run that read two of three elements.
  private func begun() async throws -> MemoryFlowStore {
    let numbers = AsyncStream { continuation in
      for number in 0..<3 { continuation.yield(number) }
      continuation.finish()
    }
    return try await Flow("Stream").forEach(in: numbers, into: key, width: 1) { number, _ in number }.cut(settled: 3)
  }

  @Test func `a cancellation while a run is restored cancels it, and nothing is lost`() async throws {
    let (store, waits) = (try await begun(), Signal())
    let flow = Flow("Stream").forEach(in: Waiting(began: waits), into: key, width: 1) { number, _ in number }
    let task = Task { await flow.run(id: "a", in: store) }
    await waits.wait()
    task.cancel()
    #expect(await task.value.isCancelled && store.journals["a"]?.count == 4)
  }

  @Test func `an error of a sequence while a run is restored is the run's error`() async throws {
    let store = try await begun()
    let broken = AsyncThrowingStream<Int, any Error> { $0.finish(throwing: TestError(name: "offline")) }
    let outcome = await Flow("Stream").forEach(in: broken, into: key, width: 1) { number, _ in number }
      .run(id: "a", in: store)
    #expect(outcome.error as? TestError == TestError(name: "offline") && outcome.failure != nil)
    #expect(store.journals["a"]?.count == 4)
  }
}

/// A sequence without an element until its task is cancelled.
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
