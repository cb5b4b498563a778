import TestSupport
import Testing

@testable import OperationFlow

/// What is freed, and when; each test makes its flow in a function of its own, so that nothing is held behind it.
@Suite(.watched) struct FreedTests {
  private let isFreed = Signal()

  @Test func `a flow that is dropped without being started is freed, with all it captured`() async {
    func make() {
      let token = Token(isFreed)
      let flow = Flow().add("a") { _ in token.touch() }.observe { _ in token.touch() }
      flow.set("token", to: token).forEach(in: 0..<2) { _, _ in token.touch() }
        .setDidFinishBlock { _ in token.touch() }.setWillStartBlock { _ in token.touch() }
    }
    make()
    await isFreed.wait()
  }

  @Test func `what the steps' closures captured is freed after the end`() async {
    func start() -> FlowRun {
      let token = Token(isFreed)
      return Flow()
        .add("sync") { _ in token.touch() }
        .add("async") { _ in
          await Task.yield()
          token.touch()
        }
        .forEach(in: 0..<3) { _, _ in token.touch() }
        .observe { _ in token.touch() }
        .start()
    }
    _ = await start().outcome
    await isFreed.wait()
  }

  @Test func `a run's values are freed with its handle and its report`() async {
    func run() async { _ = await Flow().add("step") { _ in }.run(with: ["token": Token(isFreed)]) }
    await run()
    await isFreed.wait()
  }

  @Test func `a flow that is dropped while it runs goes on, and is freed after its end`() async {
    let (mayEnd, hasFinished) = (Signal(), Signal())
    func start() {
      let token = Token(isFreed)
      Flow().add("waits") { _ in
        await mayEnd.wait()
        token.touch()
      }
      .setDidFinishBlock { flow in
        #expect(flow.isSuccess)
        hasFinished.fire()
      }
      .start()
    }
    start()
    #expect(!isFreed.isOn)
    mayEnd.fire()
    await hasFinished.wait()
    await isFreed.wait()
  }

  @Test(arguments: [true, false]) func `a run that fails or is cancelled is freed as well`(isCancelled: Bool) async {
    let hasBegun = Signal()
    func run() async {
      let token = Token(isFreed)
      let run = Flow().add("step") { _ in
        token.touch()
        hasBegun.fire()
        if !isCancelled { throw TestError() }
        await untilCancelled()
      }.add("never") { _ in token.touch() }.start()
      await hasBegun.wait()
      if isCancelled { run.cancel() }
      #expect(await !run.outcome.isSuccess)
    }
    await run()
    await isFreed.wait()
  }

  @Test func `a handle that is kept past the end holds no closure, and can be read all the same`() async {
    func start() -> FlowRun {
      let token = Token(isFreed)
      return Flow("mine").add("sync") { _ in token.touch() }.add("async") { _ async in token.touch() }
        .forEach(in: 0..<3) { _, _ in token.touch() }.observe { _ in token.touch() }.start(with: ["key": 1])
    }
    let run = start()
    let outcome = await run.outcome
    await isFreed.wait()
    #expect(run.currentOutcome?.isSuccess == true && outcome.isSuccess)
    #expect(await run.outcome.report.flowName == "mine")
    #expect(run.bucket.values.count == 1 && !run.isPaused && run.waitingFor.isEmpty)
    var paths: [FlowPath?] = []
    for await event in run.events where event.kind == .started { paths.append(event.path) }
    #expect(paths == ["1. sync", "2. async", "3. forEach", "3. forEach", "3. forEach"])
    #expect(run.progress.fractionCompleted == 1 && run.progress === run.progress)
    run.cancel()
    run.pause()
    run.resume()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `the handle of a run that failed has a progress as well, made late or not`() async {
    for isEarly in [true, false] {
      let run = Flow().add("fails") { _ in throw TestError() }.start()
      let early = isEarly ? run.progress : nil
      #expect(await !run.outcome.isSuccess)
      #expect(run.progress.fractionCompleted == 0 && (early == nil || early === run.progress))
    }
  }

  @Test func `an operation that is kept past its end does not keep its run's record`() async {
    weak var record: Recorder?
    func run() async -> FlowOperation {
      let operation = SuccessOp()
      let run = Flow().add(operation: operation).start()
      record = run.recorder
      _ = await run.outcome
      return operation
    }
    let operation = await run()
    while record != nil { await Task.yield() }
    operation.log(message: "too late")
    #expect(operation.isFinished && operation.displayName == "[SuccessOp]")
  }

  @Test func `a refused run is freed`() async {
    func run() async {
      let token = Token(isFreed)
      #expect(await Flow().add(CopyOp("a")).add("never") { _ in token.touch() }.run().code == .missingData)
    }
    await run()
    await isFreed.wait()
  }

  private struct Holder: Sequence, IteratorProtocol, Sendable {
    let token: Token
    var left = 3
    mutating func next() -> Int? {
      left -= 1
      return left < 0 ? nil : left
    }
  }

  @Test func `a sequence's iterator is freed when its group has ended, though the run is held`() async {
    let (isFreed, mayEnd) = (isFreed, Signal())
    let run = Flow().forEach(in: Holder(token: Token(isFreed))) { _, _ in }
      .add("waits") { _ in await mayEnd.wait() }.start()
    await isFreed.wait()
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `an iterator is freed if its group fails, or the run is cancelled`() async {
    let isCancelFreed = Signal()
    let (isFreed, hasBegun) = (isFreed, Signal())
    let failed = Flow().forEach(in: Holder(token: Token(isFreed))) { _, _ in throw TestError() }.start()
    #expect(await !failed.outcome.isSuccess)
    await isFreed.wait()
    let cancelled = Flow().forEach(in: Holder(token: Token(isCancelFreed))) { _, _ in
      hasBegun.fire()
      await untilCancelled()
    }.start()
    await hasBegun.wait()
    cancelled.cancel()
    #expect(await cancelled.outcome.isCancelled)
    await isCancelFreed.wait()
  }

  @Test func `an item's operation is freed when it has ended, though the group goes on`() async {
    final class TokenOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static func create() -> FlowOperation { TokenOp() }
      @FlowInput var item: Signal
      @FlowOutput var out: Int?
      private let token = Locked<Token?>(nil)
      override func run() async throws {
        token.withLock { $0 = Token(item) }
      }
    }
    let (first, mayEnd) = (Signal(), Signal())
    let (stream, items) = AsyncStream.makeStream(of: Signal.self)
    let run = Flow().forEach(in: stream, into: "out" as FlowKey<[Int]>, width: 2, run: TokenOp.self)
      .add("waits") { _ in await mayEnd.wait() }.start()
    items.yield(first)
    await first.wait()
    #expect(run.currentOutcome == nil)
    items.finish()
    mayEnd.fire()
    #expect(await run.outcome.isSuccess)
  }

  @Test func `a flow that observes itself weakly, and a kept progress and stream, hold no values`() async {
    func start() -> (FlowEvents, FlowRun) {
      let token = Token(isFreed)
      let flow = Flow()
      flow.observe { [weak flow] _ in _ = flow?.isSuccess }.add("step") { _ in token.touch() }
      let run = flow.start()
      return (run.events, run)
    }
    func finish() async -> FlowEvents {
      let (events, run) = start()
      _ = run.progress
      _ = await run.outcome
      return events
    }
    let events = await finish()
    await isFreed.wait()
    var count = 0
    for await _ in events { count += 1 }
    #expect(count == 4)
  }
}
