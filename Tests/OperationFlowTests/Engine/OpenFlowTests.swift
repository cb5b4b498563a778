import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

/// A flow that is a step has one end in the record, at whatever moment it is cancelled.
@Suite(.watched) struct OpenFlowTests {
  private func events(of name: String, in outcome: FlowOutcome) -> [FlowEvent.Kind] {
    outcome.report.events.filter { $0.source.name == name }.map(\.kind)
  }

  @Test func `a cancel between the last step's end and the flow's own`() async {
    let flow = Flow("outer")
    // The observer is called with the step's end before the run continues.
    flow.observe { [weak flow] event in
      if event.source.name == "last", case .finished = event.kind { flow?.cancel() }
    }
    .add(flow: Flow("inner").add("last") { _ in await Task.yield() })
    let outcome = await flow.run()
    #expect(outcome.isCancelled)
    #expect(events(of: "inner", in: outcome) == [.started, .finished(.cancelled)])
  }

  @Test func `a cancel while the flow's values are written`() async {
    struct Value: CustomStringConvertible, Sendable {
      let describe: @Sendable () -> Void
      var description: String {
        describe()
        return "value"
      }
    }
    let flow = Flow("outer")
    flow.add("first") { _ in }
    let isArmed = Locked(false)
    let value = Value { [weak flow] in if isArmed.withLock({ $0 }) { flow?.cancel() } }
    let inner = Flow("inner").setDataBucket(dataBucket: ["key": value]).add("never") { _ in fail("ran") }
    let outcome = await flow.add("arm") { _ in isArmed.withLock { $0 = true } }.add(flow: inner).run()
    #expect(outcome.isCancelled)
    #expect(events(of: "inner", in: outcome) == [.started, .finished(.cancelled)])
  }

  @Test func `a flow that is reached when the end is decided does not begin`() async {
    let flow = Flow("outer")
    flow.observe { [weak flow] event in
      if event.source.name == "first", case .finished = event.kind { flow?.cancel() }
    }
    .add("first") { _ in }.add(flow: Flow("inner").add("never") { _ in fail("ran") })
    let outcome = await flow.run()
    #expect(outcome.isCancelled)
    #expect(events(of: "inner", in: outcome) == [])
  }

  @Test func `the progress that is first asked for behind a flow's last step knows of it`() async {
    let (fraction, run, isKnown) = (Locked(0.0), Locked<FlowRun?>(nil), Signal())
    let flow = Flow("outer").observe { event in
      guard event.source.name == "last", case .finished = event.kind else { return }
      if let progress = run.withLock({ $0 })?.progress { fraction.withLock { $0 = progress.fractionCompleted } }
    }
    .add(flow: Flow("inner").add("last") { _ in await isKnown.wait() }).add("next") { _ in }
    let started = flow.start()
    run.withLock { $0 = started }
    isKnown.fire()
    #expect(await started.outcome.isSuccess)
    #expect(fraction.withLock { $0 } == 0.5)
  }
}
