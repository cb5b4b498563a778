import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

/// A task awaits asynchronous work, one piece after the other, and no piece affects the next.
@Suite(.watched) struct TaskLaneTests {
  private static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

  @Test func `asynchronous steps that follow each other share a task`() async {
    let tasks = Journal<Int?>()
    let flow = Flow()
    for _ in 0..<100 { flow.add("step") { _ async in tasks.append(Self.currentTask) } }
    #expect(await flow.run().isSuccess)
    #expect(tasks.entries.count == 100 && Set(tasks.entries).count == 1 && tasks.entries.first != .some(nil))
  }

  @Test func `asynchronous steps share a task also if others between them block threads`() async {
    let tasks = Journal<Int?>()
    let flow = Flow()
    for _ in 0..<100 {
      flow.add("async") { _ async in tasks.append(Self.currentTask) }.add("sync") { _ in }.add(SuccessOp())
    }
    #expect(await flow.run().isSuccess)
    #expect(tasks.entries.count == 100 && Set(tasks.entries).count == 1 && tasks.entries.first != .some(nil))
  }

  @Test func `a step that times out is cancelled, and what comes after it isn't`() async {
    let clock = ManualClock()
    let seen = Journal<Bool>()
    let outcome = await Flow()
      .add("slow", .timeout(.seconds(1)), .recover { _, _ in seen.append(Task.isCancelled) }) { _ in
        defer { seen.append(Task.isCancelled) }
        try await clock.sleep(for: .seconds(5))
      }
      .add("next") { _ async in seen.append(Task.isCancelled) }
      .run(on: clock)
    #expect(outcome.isSuccess && seen.entries == [true, false, false])
  }

  /// An operation that cancels the one before it, which may just have ended.
  private final class NeighbourOp: FlowOperation, @unchecked Sendable {
    static let last = Locked<FlowOperation?>(nil)
    static let (cancelled, wrong) = (Counter(), Counter())

    override func run() async throws {
      let before = Self.last.withLock { last in
        defer { last = self }
        return last
      }
      before?.cancel()
      await Task.yield()
      guard Task.isCancelled else { return }
      // An operation is marked as cancelled before its task is cancelled.
      (isCancelled ? Self.cancelled : Self.wrong).enter()
      throw CancellationError()
    }
  }

  private struct Neighbours: FlowGroupDispatcher {
    let maxConcurrentOperationCount = 4
    let allowFailure = true

    func items(in bucket: DataBucket) -> FlowGroupItems { FlowGroupItems(Array(0..<3_000), name: "numbers") }

    func operation(
      for item: any Sendable, at index: Int, creator: any FlowOperationCreator.Type
    ) -> FlowOperation { NeighbourOp() }

    func collect(_ results: FlowGroupResults) -> [String: any Sendable] { [:] }
  }

  @Test func `if an operation is cancelled, however late, no other finds its task cancelled`() async {
    let outcome = await Flow().addGrouped(operationCreator: SuccessOp.self, dispatcher: Neighbours()).run()
    NeighbourOp.last.withLock { $0 = nil }
    #expect(outcome.isSuccess && NeighbourOp.wrong.total == 0 && NeighbourOp.cancelled.total > 0)
  }

  @Test func `a timeout that comes as its item ends does not cancel the next item`() async {
    let wrong = Counter()
    let outcome = await Flow()
      .forEach(in: 0..<10_000, width: 4, tolerating: .all, .timeout(.microseconds(40))) { (_: Int, context) async in
        await Task.yield()
        // An item that has timed out is marked before its task is cancelled.
        if Task.isCancelled, !context.host.isStopping(context.ticket) { wrong.enter() }
      }
      .run()
    #expect(outcome.isSuccess && wrong.total == 0)
  }

  @Test func `work that blocks after asynchronous work blocks no thread of the language's pool`() async {
    let count = 8 * ProcessInfo.processInfo.activeProcessorCount
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<count {
        group.addTask {
          await Flow().add("first") { _ in await Task.yield() }
            .add("blocks") { _ in
              let isReached = DispatchSemaphore(value: 0)
              Task.detached { isReached.signal() }
              isReached.wait()
            }
            .run().isSuccess
        }
      }
      for await isSuccess in group { #expect(isSuccess) }
    }
  }

  /// A dispatcher that records the tasks in which it is called.
  private struct Asked: FlowGroupDispatcher {
    let tasks: Journal<Int?>
    let maxConcurrentOperationCount = 1

    func items(in bucket: DataBucket) -> FlowGroupItems {
      tasks.append(TaskLaneTests.currentTask)
      return FlowGroupItems([1], name: "numbers")
    }

    func collect(_ results: FlowGroupResults) -> [String: any Sendable] {
      tasks.append(TaskLaneTests.currentTask)
      return [:]
    }
  }

  /// A sequence that records the task in which its iterator is created.
  private struct Iterated: Sequence, Sendable {
    let tasks: Journal<Int?>

    func makeIterator() -> IndexingIterator<[Int]> {
      tasks.append(TaskLaneTests.currentTask)
      return [1].makeIterator()
    }
  }

  @Test func `a dispatcher and a sequence are asked on threads that they may block`() async {
    final class AwaitedOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation { AwaitedOp() }
      override func run() async throws {}
    }
    let tasks = Journal<Int?>()
    let outcome = await Flow().add("first") { _ in await Task.yield() }
      .addGrouped(operationCreator: AwaitedOp.self, dispatcher: Asked(tasks: tasks))
      .add("second") { _ in await Task.yield() }
      .forEach(in: Iterated(tasks: tasks)) { _, _ async in }
      .run()
    #expect(outcome.isSuccess && tasks.entries == [nil, nil, nil])
  }

  @Test func `synchronous and asynchronous steps, operations and items mixed keep their order`() async {
    final class RunOp: FlowOperation, @unchecked Sendable {
      @FlowInput("count") var before: Int
      @FlowOutput("count") var after: Int?
      override func run() async throws {
        await Task.yield()
        after = before + 1
      }
    }
    let count: FlowKey<Int> = "count"
    let flow = Flow().set(count, to: 0)
    for _ in 0..<50 {
      flow.add("sync") { $0.update(count, default: 0) { $0 += 1 } }
        .add("async") { context async in context.update(count, default: 0) { $0 += 1 } }
        .add(RunOp())
        .forEach(in: 0..<2, width: 1) { (_: Int, context) async in context.update(count, default: 0) { $0 += 1 } }
    }
    let outcome = await flow.run()
    #expect(outcome.report[count] == 250)
  }

  @Test func `lanes that are tasks leave work that may block to threads`() async {
    let flow = Flow()
    for _ in 0..<20 {
      flow.add("async") { _ in await Task.yield() }
        .add("sync") { _ in if Self.currentTask != nil { fail("in a task") } }
        .add(SuccessOp())
        .forEach(in: 0..<5, width: 2) { (_: Int, _) async in await Task.yield() }
        .forEach(in: 0..<5, width: 2) { (_: Int, _) in if Self.currentTask != nil { fail("in a task") } }
    }
    #expect(await flow.run().isSuccess)
  }

  @Test func `synchronous code that cancels the task it finds cancels nothing that comes after it`() async {
    let seen = Journal<Bool>()
    let outcome = await Flow()
      .add("first") { _ in await Task.yield() }
      .add("cancels") { _ in withUnsafeCurrentTask { $0?.cancel() } }
      .add("next") { _ async in seen.append(Task.isCancelled) }
      .run()
    #expect(outcome.isSuccess && seen.entries == [false])
  }
  @Test func `a policy that cancels the task it finds cancels nothing, even after work on a thread`() async {
    let seen = Journal<Bool>()
    let outcome = await Flow()
      .forEach(
        in: [1], tolerating: .all,
        .retry(
          .attempts(2),
          when: { _ in
            withUnsafeCurrentTask { $0?.cancel() }
            return false
          })
      ) { (_: Int, _) async throws in throw TestError() }
      .add("sync") { _ in }
      .add("next") { _ async in seen.append(Task.isCancelled) }
      .run()
    #expect(outcome.isSuccess && seen.entries == [false])
  }
}
