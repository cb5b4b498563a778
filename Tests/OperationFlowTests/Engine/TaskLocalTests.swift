import OperationFlow
import TestSupport
import Testing

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

  @Test func `an operation sees the task-local values of who called run or start, whatever comes before it`() async {
    let flows: [@Sendable () -> Flow] = [
      { Flow().add(RequestOp()) },
      { Flow().add(LaterOp()).add("sync") { _ in }.add(SuccessOp()).add(RequestOp()) },
      { Flow().setWillStartBlock { _ in }.add(RequestOp()) },
    ]
    for make in flows {
      #expect(await Self.$request.withValue("a") { await make().run() }.report[Self.seen] == "a")
      #expect(await Self.$request.withValue("a") { make().start() }.outcome.report[Self.seen] == "a")
    }
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

  /// Returns a closure that returns the task's request three times, and then `nil`.
  private func untilThree() -> @Sendable () async -> String? {
    let count = Locked(0)
    return {
      count.withLock { $0 += 1 }
      return count.withLock { $0 } <= 3 ? Self.request : nil
    }
  }

  @Test(arguments: [false, true])
  func `what runs after a cancelled step sees them, in a task that isn't cancelled`(isAwaited: Bool) async {
    let (seen, begun) = (Journal<String>(), Signal())
    let flow = Flow()
      .add("slow") { _ async in
        begun.fire()
        try? await Task.sleep(for: .seconds(3_600))
        seen.append("\(Task.isCancelled) \(Self.request)")
      }
      .add(LaterOp())
      .always { $0.add("clean up") { _ async in seen.append("\(Task.isCancelled) \(Self.request)") } }
      .always { $0.add(LaterOp()).add("log out") { _ async in seen.append("\(Task.isCancelled) \(Self.request)") } }
    if isAwaited {
      let task = Self.$request.withValue("a") { Task { await flow.run() } }
      await begun.wait()
      task.cancel()
      #expect(await task.value.isCancelled)
    } else {
      let run = Self.$request.withValue("a") { flow.start() }
      #expect(await run.outcome(cancelledAfter: begun).isCancelled)
    }
    #expect(seen.entries == ["true a", "false a", "false a"])
  }

  @Test func `the first task of a run may be needed after the task that awaits it was cancelled`() async {
    let (seen, begun) = (Journal<String>(), Signal())
    let flow = Flow()
      .add(LaterOp())
      .add(
        operation: BlockOp {
          $0.startWithAsynchronous()
          begun.fire()
        }
      )
      .always { $0.add("clean up") { _ async in seen.append("\(Task.isCancelled) \(Self.request)") } }
    let task = Self.$request.withValue("a") { Task { await flow.run() } }
    await begun.wait()
    task.cancel()
    #expect(await task.value.isCancelled)
    #expect(seen.entries == ["false a"])
  }

  @Test @MainActor func `a run that is paused before it begins has them when it goes on`() async {
    let seen = Journal<String>()
    let willStart = Signal()
    let run = Self.$request.withValue("a") {
      Flow().setWillStartBlock { _ in willStart.fire() }.add("step") { _ async in seen.append(Self.request) }.start()
    }
    // The block needs this actor, so that it runs after the pause.
    run.pause()
    await willStart.wait()
    run.resume()
    #expect(await run.outcome.isSuccess)
    #expect(seen.entries == ["a"])
  }

  @Test func `steps see them after operations that ended elsewhere`() async {
    let seen = Journal<String>()
    let flow = Flow()
    for _ in 0..<20 {
      flow.add(LaterOp()).add("step") { _ async in
        await Task.yield()
        seen.append(Self.request)
      }
    }
    #expect(await Self.$request.withValue("a") { await flow.run() }.isSuccess)
    #expect(seen.entries == Array(repeating: "a", count: 20))
  }

  @Test func `outside of a task it sees what the thread has bound, or the default`() async {
    let runs = Journal<FlowRun>()
    await inThread {
      Self.$request.withValue("thread") { runs.append(Flow().add(RequestOp()).start()) }
      runs.append(Flow().add(RequestOp()).start())
    }
    for (run, value) in zip(runs.entries, ["thread", "none"]) {
      #expect(await run.outcome.report[Self.seen] == value)
    }
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
}
