import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.heavy) struct DeallocationTests {
  /// Something whose end can be waited for.
  private final class Token: Sendable {
    let isFreed: Signal
    init(_ isFreed: Signal) { self.isFreed = isFreed }
    deinit { isFreed.fire() }
  }

  /// Holds a token until it is freed itself.
  private final class TokenOp: FlowOperation, @unchecked Sendable {
    private let token: Token
    init(_ isFreed: Signal) { token = Token(isFreed) }
    override func mainLogic() {
      startWithAsynchronous()
      DispatchQueue.global().async { self.finishSuccessfully() }
    }
  }

  @Test func `a flow that is never started is freed with all that it holds`() async {
    let (flowIsFreed, operationIsFreed, blockIsFreed) = (Signal(), Signal(), Signal())
    weak var freed: Flow?
    do {
      let (value, block) = (Token(flowIsFreed), Token(blockIsFreed))
      let flow = Flow().setData(name: "value", value: value).add(operation: TokenOp(operationIsFreed))
        .setWillStartBlock { _ in _ = block }.setDidFinishBlock { _ in _ = block }.observe { _ in _ = block }
      freed = flow
    }
    await flowIsFreed.wait()
    await operationIsFreed.wait()
    await blockIsFreed.wait()
    #expect(freed == nil)
  }

  @Test func `after its end a dropped flow keeps nothing: operations, values, blocks, itself`() async {
    for ends in [Settlement.succeeded, .failed(TestError()), .cancelled] {
      let signals = (0..<6).map { _ in Signal() }
      let flowIsFreed = Signal()
      do {
        let flow = Flow()
        let (value, block, watcher) = (Token(signals[0]), Token(signals[1]), Token(signals[2]))
        flow.setDataBucket(dataBucket: ["value": value]).add(operation: TokenOp(signals[3]))
          .add(TokenOp(signals[4]))
          .step { operation in
            operation.setData(name: "self", value: operation)
            operation.finish(ends)
          }
          .add(operation: TokenOp(signals[5]))
          .setWillStartBlock { _ in _ = block }
          .setDidFinishBlock { flow in
            _ = (block, flow)
          }
          .observe { _ in _ = watcher }
        let marker = Token(flowIsFreed)
        flow.add(
          BlockOp {
            _ = marker; $0.finishSuccessfully()
          })
        flow.start()
      }
      for signal in signals { await signal.wait() }
      await flowIsFreed.wait()
    }
  }

  @Test func `a flow that is kept lets its operations go`() async {
    let signals = (0..<3).map { _ in Signal() }
    let flow = Flow().add(operation: TokenOp(signals[0])).add(TokenOp(signals[1]))
      .step { $0.finishWithError(error: TestError()) }.add(operation: TokenOp(signals[2]))
    _ = await flow.run()
    for signal in signals { await signal.wait() }
    #expect(!flow.isSuccess)
  }

  @Test func `a flow that is dropped while it runs goes on to its end`() async {
    let (isRunning, gate, ended) = (Signal(), Signal(), Signal())
    weak var freed: Flow?
    do {
      let flow = Flow()
      freed = flow
      flow.step { operation in
        operation.startWithAsynchronous()
        isRunning.fire()
        Task {
          await gate.wait()
          operation.finishSuccessfully()
        }
      }.step {
        ended.fire()
        $0.finishSuccessfully()
      }.start()
    }
    await isRunning.wait()
    #expect(freed == nil)
    gate.fire()
    await ended.wait()
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
    // One more is made to see what it declares, before anything runs.
    #expect(CountedOp.alive.total <= 10_001)
    // One that has ended may still be on its way out when the next is made.
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

  @Test func `200,000 steps are run and freed without recursion`() async {
    let (count, isFreed) = (Counter(), Signal())
    let stackSize = 256 * 1_024
    await inThread(stackSize: stackSize) {
      let flow = Flow()
      let token = Token(isFreed)
      for _ in 0..<100_000 {
        flow.add(operation: SuccessOp()).add(
          BlockOp {
            _ = token; count.enter(); $0.finishSuccessfully()
          })
      }
    }
    await isFreed.wait()
    #expect(count.total == 0)

    let flow = Flow()
    for _ in 0..<100_000 { flow.add(operation: SuccessOp()).add(SuccessOp()) }
    let run = flow.start()
    #expect(await run.outcome.report.stepCount == 200_000)
  }
}
