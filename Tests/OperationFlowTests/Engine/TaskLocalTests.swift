import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct TaskLocalTests {
  @TaskLocal private static var request = "none"

  private final class RequestOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
    static func create() -> FlowOperation { RequestOp() }
    override var primaryInputParamKey: String { "item" }
    @FlowOutput var seen: String?
    override func run() async throws {
      await Task.yield()
      seen = TaskLocalTests.request
    }
  }

  private static let seen: FlowKey<String> = "seen"
  private static let all: FlowKey<[String]> = "all"

  @Test func `run sees the task-local values of who called run`() async {
    let outcome = await Self.$request.withValue("a") { await Flow().add(RequestOp()).run() }
    #expect(outcome.report[Self.seen] == "a")
  }

  @Test func `it sees those of who called start, though awaited elsewhere`() async {
    let run = Self.$request.withValue("a") { Flow().add(RequestOp()).start() }
    #expect(await run.outcome.report[Self.seen] == "a")
  }

  @Test func `it sees them after steps that run elsewhere`() async {
    let outcome = await Self.$request.withValue("a") {
      await Flow().add(LaterOp()).add("sync") { _ in }.add(SuccessOp()).add(RequestOp()).run()
    }
    #expect(outcome.report[Self.seen] == "a")
  }

  @Test func `asynchronous closures see them, of steps, of items, and of streams`() async {
    let flow = Flow()
      .add("step") { context in
        await Task.yield()
        context[Self.seen] = Self.request
      }
      .forEach(in: 0..<3, into: Self.all) { _, _ in
        await Task.yield()
        return Self.request
      }
      .forEach(in: AsyncStream(unfolding: untilThree()), into: "pulled" as FlowKey<[String]>) { item, _ in item }
    let outcome = await Self.$request.withValue("a") { await flow.run() }
    #expect(outcome.report[Self.seen] == "a")
    #expect(outcome.report[Self.all] == ["a", "a", "a"])
    #expect(outcome.report["pulled" as FlowKey<[String]>] == ["a", "a", "a"])
  }

  /// Gives three times what the task sees that asks.
  private func untilThree() -> @Sendable () async -> String? {
    let count = Locked(0)
    return {
      count.withLock { $0 += 1 }
      return count.withLock { $0 } <= 3 ? Self.request : nil
    }
  }

  @Test func `they are seen if a value is bound outside of any task`() async {
    let run = Locked<FlowRun?>(nil)
    await inThread {
      Self.$request.withValue("thread") { run.withLock { $0 = Flow().add(RequestOp()).start() } }
    }
    let outcome = await run.withLock { $0 }?.outcome
    #expect(outcome?.report[Self.seen] == "thread")
  }

  @Test func `outside of a task with nothing bound there is the default`() async {
    let run = Locked<FlowRun?>(nil)
    await inThread { run.withLock { $0 = Flow().add(RequestOp()).start() } }
    #expect(await run.withLock { $0 }?.outcome.report[Self.seen] == "none")
  }

  @Test func `runs of one flow at once each see their own`() async {
    let flow = Flow().add(RequestOp()).forEach(in: 0..<4, into: Self.all, run: RequestOp.self)
    await withTaskGroup(of: Void.self) { group in
      for index in 0..<20 {
        group.addTask {
          let outcome = await Self.$request.withValue("\(index)") { await flow.run() }
          #expect(outcome.report[Self.seen] == "\(index)")
          #expect(outcome.report[Self.all] == Array(repeating: "\(index)", count: 4))
        }
      }
    }
  }

  @Test func `they are seen though a will-start block comes first`() async {
    let outcome = await Self.$request.withValue("a") {
      await Flow().setWillStartBlock { _ in }.add(RequestOp()).run()
    }
    #expect(outcome.report[Self.seen] == "a")
  }
}
