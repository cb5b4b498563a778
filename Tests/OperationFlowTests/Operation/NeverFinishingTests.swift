import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct NeverFinishingTests {
  private func isNeverFinished(_ error: (any Error)?) -> Bool {
    guard let error = error as? FlowError else { return false }
    return error.code == .neverFinished && error.remedy.contains("finishSuccessfully()")
  }

  @Test func `one that nothing holds fails at once, with the remedy`() async {
    let factory = await Flow().step { _ in }.step { _ in fail("ran") }.run()
    #expect(isNeverFinished(factory.error))
    let object = await Flow().add(operation: BlockOp { _ in }).run()
    #expect(isNeverFinished(object.error))
  }

  @Test func `one that a callback holds counts as asynchronous, with a warning`() async {
    let held = Journal<BlockOp>()
    let isWaiting = Signal()
    let run = Flow()
      .observe { if case .warned = $0.kind { isWaiting.fire() } }
      .step("op") { held.append($0) }
      .start()
    await isWaiting.wait()
    held.entries.first?.finishSuccessfully()
    let outcome = await run.outcome
    #expect(outcome.isSuccess)
    let warning = "returned without finishing: taken as asynchronous. Call startWithAsynchronous() before returning."
    #expect(outcome.report.lines.contains("[op] warning: \(warning)"))
  }

  @Test func `one that is let go of while it is waited for fails then`() async {
    let held = Locked<BlockOp?>(nil)
    let isWaiting = Signal()
    let run = Flow()
      .observe { if case .warned = $0.kind { isWaiting.fire() } }
      .step { operation in held.withLock { $0 = operation } }
      .start()
    await isWaiting.wait()
    #expect(run.currentOutcome == nil)
    let last = held.withLock { held in
      defer { held = nil }
      return held
    }
    _ = consume last
    #expect(isNeverFinished(await run.outcome.error))
  }

  @Test func `one that has said that it ends later is waited for though nothing holds it`() async {
    let isWaiting = Signal()
    let run = Flow().step {
      $0.startWithAsynchronous()
      isWaiting.fire()
    }.start()
    await isWaiting.wait()
    run.cancel()
    guard case .cancelled = await run.outcome else { return fail("not waited for") }
  }

  @Test func `an item that nothing holds fails, and the others go on if that is tolerated`() async throws {
    let outcome = await Flow.group(
      [Work { _ in }, Work { $0.finishSuccessfully() }, Work { _ in }], allowFailure: true
    ).run()
    #expect(outcome.isSuccess && outcome.report.itemFailures.map(\.index).sorted() == [0, 2])
    #expect(outcome.report.itemFailures.allSatisfy { isNeverFinished($0.error) })
  }

  @Test func `it fails with a dependency of its own as well`() async {
    let (dependency, operation) = (BlockOp(), NoticedOp { _ in })
    let isNoticed = operation.isNoticed
    operation.addDependency(dependency)
    let flow = Flow().add(operation: consume operation)
    let run = flow.start()
    await isNoticed.wait()
    dependency.start()
    let outcome = await run.outcome
    #expect(isNeverFinished(outcome.error))
    run.cancel()
  }
}
