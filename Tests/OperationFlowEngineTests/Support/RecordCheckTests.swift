import Foundation
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct RecordCheckTests {
  private static let step = FlowEvent.Source("step")
  private static let item = FlowEvent.Source("item", step: 0, item: 0)
  private static let failure = FlowEvent.Finish.withError("TestError(test)")

  /// Returns the complaint about the record of a run with these events and this ending; `nil` if there is none.
  private func complaint(
    _ events: [(FlowEvent.Source, FlowEvent.Kind)], _ ending: FlowEvent.Finish = .successfully, isWhole: Bool = true,
    facts: RunFacts = RunFacts(),
    outcome: (FlowReport) -> FlowOutcome = FlowOutcome.succeeded
  ) -> String? {
    let recorder = Recorder(paths: facts.table?.paths)
    recorder.record(.flowStarted([]), source: .dataBucket)
    for (source, kind) in events { recorder.record(kind, source: source) }
    if isWhole { recorder.seal(with: .plain(.flowFinished(ending, [])), at: RunMoment(date: Date())) }
    let report = FlowReport(
      plainFlowName: "Flow", duration: .zero, stepCount: 1, itemFailures: [], values: [:], log: recorder.log,
      facts: facts)
    return RecordCheck(outcome(report)).complaint
  }

  private func failed(_ report: FlowReport) -> FlowOutcome { .failed(TestError(), report) }

  /// Returns the facts of a run of one group with one item.
  private func facts(succeeded: Int) -> RunFacts {
    let blueprint = Flow().forEach(in: [0]) { _, _ in }.state.withLock { $0.sharedBlueprint() }.value
    var facts = RunFacts(BlueprintFacts(blueprint, markedNames: []))
    facts.open(0, attempt: 1, at: 0)
    facts.close(0, .succeeded, began: 0, at: 1)
    facts.store(
      ItemFacts(FlowReport.Items(total: 1, succeeded: succeeded, failed: 0, cancelled: 0), ItemRetries()), of: 0)
    return facts
  }

  @Test func `a record that agrees with its outcome is fine`() {
    let (step, failure) = (Self.step, Self.failure)
    #expect(complaint([]) == nil)
    #expect(complaint([(step, .started), (step, .finished(.successfully))]) == nil)
    #expect(complaint([(step, .started), (step, .finished(failure))], failure, outcome: failed) == nil)
    #expect(complaint([(step, .cancelRequested)], .cancelled, outcome: FlowOutcome.cancelled) == nil)
  }

  @Test func `whatever does not agree is found`() {
    let (step, item, failure) = (Self.step, Self.item, Self.failure)
    #expect(complaint([], isWhole: false) != nil)
    #expect(complaint([], failure) != nil)
    #expect(complaint([(step, .flowFinished(.successfully, []))]) != nil)
    #expect(complaint([(step, .started)]) != nil)
    #expect(complaint([(step, .finished(.successfully))]) != nil)
    #expect(complaint([(step, .started), (step, .finished(failure))]) != nil)
    #expect(complaint([], failure, outcome: failed) != nil)
    #expect(complaint([(step, .cancelRequested)]) != nil)
    #expect(complaint([(step, .paused), (step, .paused)]) != nil)
    #expect(complaint([(item, .started), (item, .finished(failure))]) != nil)
    let late: [(FlowEvent.Source, FlowEvent.Kind)] = [
      (step, .cancelRequested), (step, .started), (step, .finished(.cancelled)),
    ]
    #expect(complaint(late, .cancelled, outcome: FlowOutcome.cancelled) != nil)
    #expect(complaint([(step, .finished(.withError("other")))], failure, outcome: failed) != nil)
    #expect(complaint([], facts: facts(succeeded: 1)) != nil)
    #expect(complaint([(item, .started), (item, .finished(.successfully))], facts: facts(succeeded: 0)) != nil)
    #expect(complaint([(item, .started), (item, .finished(.successfully))], facts: facts(succeeded: 1)) == nil)
  }
}
