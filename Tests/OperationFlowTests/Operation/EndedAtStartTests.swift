import OperationFlow
import TestSupport
import Testing

/// An operation with ports or without, which counts when its work begins.
private protocol NotingOp: FlowOperation { init(_ work: Counter) }

private final class BareOp: FlowOperation, NotingOp, @unchecked Sendable {
  private let work: Counter
  init(_ work: Counter) { self.work = work }
  override func mainLogic() {
    work.enter()
    finishSuccessfully()
  }
}

private final class PortOp: FlowOperation, NotingOp, @unchecked Sendable {
  @FlowInput var value: Int?
  private let work: Counter
  init(_ work: Counter) { self.work = work }
  override func mainLogic() {
    work.enter()
    finishSuccessfully()
  }
}

/// An operation that an observer of its start ends doesn't begin its work, whatever it declares.
@Suite(.watched) struct EndedAtStartTests {
  private let work = Counter()

  private func outcome(
    _ type: any NotingOp.Type, _ end: @escaping @Sendable (FlowOperation, Flow) -> Void
  ) async -> FlowOutcome {
    let operation = type.init(work)
    let flow = Flow()
    return await flow.add(operation: operation).observe { [weak flow] event in
      if event.kind == .started, let flow { end(operation, flow) }
    }.run()
  }

  @Test func `by cancelling the run, or the operation itself`() async {
    for type in [BareOp.self, PortOp.self] as [any NotingOp.Type] {
      #expect(await outcome(type) { $1.cancel() }.isCancelled)
      #expect(await outcome(type) { operation, _ in operation.cancel() }.isCancelled)
    }
    #expect(work.total == 0)
  }

  @Test func `by finishing it, which counts`() async {
    for type in [BareOp.self, PortOp.self] as [any NotingOp.Type] {
      #expect(await outcome(type) { operation, _ in operation.finishWithError(error: TestError()) }.error is TestError)
      #expect(await outcome(type) { operation, _ in operation.finishSuccessfully() }.isSuccess)
    }
    #expect(work.total == 0)
  }
}
