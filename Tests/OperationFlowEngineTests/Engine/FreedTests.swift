import Foundation
import OperationFlowObservation
import TestSupport
import Testing

@testable import OperationFlow

/// Tests what is freed, and when; each test creates its flow in a function of its own, so that no variable retains
/// it.
@Suite(.heavy) struct FreedTests {
  private let isFreed = Signal()

  /// An operation that retains a token.
  private final class TokenOp: FlowOperation, @unchecked Sendable {
    private let token: Token
    init(_ alive: Counter) { token = alive.token() }
    override func mainLogic() {
      startWithAsynchronous()
      DispatchQueue.global().async { self.finishSuccessfully() }
    }
  }

  enum End: CaseIterable { case neverStarted, refused, succeeded, failed, cancelled }

  @Test(arguments: End.allCases)
  func `nothing that a dropped flow had is kept: values, operations, blocks, closures, itself`(end: End) async {
    let (alive, hasBegun) = (Counter(), Signal())
    func make() -> Flow {
      let flow = Flow()
      let (value, block, watcher, closure) = (alive.token(), alive.token(), alive.token(), alive.token())
      flow.setDataBucket(dataBucket: ["value": value])
        .setWillStartBlock { _ in block.touch() }.setDidFinishBlock { flow in _ = (block, flow) }
        .observe { _ in watcher.touch() }
        .add(operation: TokenOp(alive)).add(TokenOp(alive))
        .add("sync") { _ in closure.touch() }.add("async") { _ async in closure.touch() }
        .forEach(in: 0..<3) { _, _ in closure.touch() }
        .step { operation in
          operation.setData(name: "self", value: operation)
          operation.finishSuccessfully()
        }
        .add("ends") { _ async throws in
          closure.touch()
          hasBegun.fire()
          if end == .failed { throw TestError() }
          if end == .cancelled { await untilCancelled() }
        }
        .add(operation: TokenOp(alive))
      return end == .refused ? flow.forEach(in: [1], width: 0) { (_: Int, _) in } : flow
    }
    func drop() async {
      if end == .neverStarted { return _ = make() }
      let run = make().start()
      if end == .cancelled {
        await hasBegun.wait()
        run.cancel()
      }
      let outcome = await run.outcome
      #expect(outcome.isSuccess == (end == .succeeded) && outcome.isCancelled == (end == .cancelled))
    }
    await drop()
    #expect(alive.total > 5)
    while alive.now > 0 { await Task.yield() }
  }

  @Test func `a flow that is dropped while it runs goes on, and is freed after its end`() async {
    let (isRunning, mayEnd, hasFinished) = (Signal(), Signal(), Signal())
    weak var dropped: Flow?
    func start() {
      let token = Token(isFreed)
      let flow = Flow()
      dropped = flow
      flow.add("waits") { _ in
        await isRunning.fire(thenAwait: mayEnd)
        token.touch()
      }
      .observe { if case .flowFinished(.successfully, _) = $0.kind { hasFinished.fire() } }
      .start()
    }
    start()
    await isRunning.wait()
    #expect(!isFreed.isOn && dropped == nil)
    await mayEnd.fire(thenAwait: hasFinished)
    await isFreed.wait()
  }

  @Test func `effects that a thread carries out after the end do nothing that would hold the run`() async throws {
    func run() async throws {
      let (token, mayEnd) = (Token(isFreed), Signal())
      let run = Flow().add("step", .timeout(.seconds(1_000))) { _ async in
        token.touch()
        await mayEnd.wait()
      }.start()
      let engine = try #require(run.engine)
      mayEnd.fire()
      #expect(await run.outcome.isSuccess)
      var slab = Slab<Int>()
      engine.perform(PendingEffects(decided: [.start(slab.insert(1), .seconds(1_000))], laneCount: 1))
      engine.perform(PendingEffects(decided: [.stop(slab.insert(2))]))
      engine.addLane {
        engine.tasks.spawn {
          token.touch()
        } started: { _ in
        }
      }
    }
    try await run()
    await isFreed.wait()
  }

  @Test func `a run's values are freed with its handle and its report`() async {
    func run() async { _ = await Flow().add("step") { _ in }.run(with: ["token": Token(isFreed)]) }
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

  private struct Holder: Sequence, IteratorProtocol, Sendable {
    let token: Token
    var left = 3
    mutating func next() -> Int? {
      left -= 1
      return left < 0 ? nil : left
    }
  }

  @Test(arguments: [End.succeeded, .failed, .cancelled])
  func `a sequence's iterator is freed when its group has ended, though the run is held`(end: End) async {
    let (isFreed, hasBegun, mayEnd) = (isFreed, Signal(), Signal())
    let run = Flow().forEach(in: Holder(token: Token(isFreed))) { _, _ async throws in
      hasBegun.fire()
      if end == .failed { throw TestError() }
      if end == .cancelled { await untilCancelled() }
    }.add("waits") { _ in await mayEnd.wait() }.start()
    await hasBegun.wait()
    if end == .cancelled { run.cancel() }
    await isFreed.wait()
    mayEnd.fire()
    #expect(await run.outcome.isSuccess == (end == .succeeded))
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

  @Test func `a flow that is kept lets its operations go`() async {
    let alive = Counter()
    let flow = Flow().add(operation: TokenOp(alive)).add(TokenOp(alive))
      .step { $0.finishWithError(error: TestError()) }.add(operation: TokenOp(alive))
    _ = await flow.run()
    while alive.now > 0 { await Task.yield() }
    #expect(!flow.isSuccess)
  }

  @Test func `items and outputs of a group are let go`() async {
    let itemIsFreed = Signal()
    do {
      let token = Token(itemIsFreed)
      let work = Work {
        $0.setData(name: "output", value: token)
        $0.finishSuccessfully()
      }
      _ = await Flow.group([work, work]).run()
    }
    await itemIsFreed.wait()
  }

  @Test func `a group has no more operations alive than its width`() async {
    final class CountedOp: FlowOperation, FlowOperationCreator, @unchecked Sendable {
      static let alive = Counter()
      static func create() -> FlowOperation { CountedOp() }
      override init() {
        super.init()
        Self.alive.enter()
      }
      deinit { Self.alive.leave() }
      override func mainLogic() { finishSuccessfully() }
    }
    let outcome = await Flow().setDataBucket(dataBucket: ["in": Array(0..<10_000)])
      .addGrouped(
        operationCreator: CountedOp.self,
        dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out", maxConcurrentOperationCount: 4)
      ).run()
    #expect(outcome.isSuccess)
    // One more operation is created to find what it declares, before anything runs.
    #expect(CountedOp.alive.total <= 10_001)
    // An operation that has ended may not be freed yet when the next one is created.
    #expect(CountedOp.alive.peak <= 8)
  }

  @Test func `a record keeps no value alive`() async {
    let isFreed = Signal()
    let report = await Flow().setDataBucket(dataBucket: ["value": Token(isFreed)]).step {
      $0.setData(name: "value", value: String?.none)
      $0.finishSuccessfully()
    }.run().report
    await isFreed.wait()
    #expect(report.lines.contains { $0.hasPrefix("[DataBucket] remove for value: ") })
  }

  @Test func `steps in great number are run and freed without recursion`() async {
    let (count, isFreed) = (Counter(), Signal())
    let pairs = TestSettings.longCount / 2
    let stackSize = 256 * 1_024
    await inThread(stackSize: stackSize) {
      let flow = Flow()
      let token = Token(isFreed)
      for _ in 0..<pairs {
        flow.add(operation: SuccessOp()).add(
          BlockOp {
            _ = token; count.enter(); $0.finishSuccessfully()
          })
      }
    }
    await isFreed.wait()
    #expect(count.total == 0)

    let flow = Flow()
    for _ in 0..<pairs { flow.add(operation: SuccessOp()).add(SuccessOp()) }
    let run = flow.start()
    #expect(await run.outcome.report.stepCount == 2 * pairs)
  }
}

extension Counter {
  /// Returns a token that is counted until it is freed.
  fileprivate func token() -> Token {
    enter()
    return Token { self.leave() }
  }
}
