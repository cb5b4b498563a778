import Testing

@testable import OperationFlow

@Suite(.watched) struct AttemptRulesTests {
  private func problems(_ trait: StepTrait<Repeatable>) -> [FlowProblem] {
    let flow = Flow().add("step", trait) { _ in }
    let group = Flow().forEach(in: 0..<2, StepTrait(trait.change)) { (_: Int, _) in }
    let found = flow.validate().filter { $0.severity == .error }
    #expect(group.validate().filter { $0.severity == .error }.map(\.code) == found.map(\.code))
    return found
  }

  @Test(arguments: [
    FlowRetryPolicy.attempts(0), .attempts(.min), .attempts(2, delay: .seconds(-1)),
    .exponential(attempts: 2, factor: 0.5), .exponential(attempts: 2, factor: .nan),
    .exponential(attempts: 2, factor: .infinity), .exponential(attempts: 2, limit: .seconds(-1)),
    .exponential(attempts: 2, first: .seconds(-1)), .exponential(attempts: 2, jitter: 1.5),
    .exponential(attempts: 2, jitter: .nan), .exponential(attempts: 2, jitter: -0.1),
  ]) func `a retry policy that makes no sense refuses the flow`(policy: FlowRetryPolicy) async {
    let found = problems(.retry(policy))
    #expect(found.map(\.code) == [.invalidRetry] && found.allSatisfy { $0.remedy.hasPrefix("Give .retry") })
    let outcome = await Flow().add("step", .retry(policy)) { _ in }.run()
    #expect((outcome.error as? FlowError)?.code == .invalidRetry && outcome.report.stepCount == 0)
  }

  @Test(arguments: [
    StepTrait<Repeatable>.timeout(.zero), .timeout(.seconds(-1), of: .allAttempts),
    .timeout(.seconds(1), abandoningAfter: .seconds(-1)),
  ]) func `a time limit that makes no sense refuses the flow`(trait: StepTrait<Repeatable>) {
    #expect(problems(trait).map(\.code) == [.invalidTimeout])
  }

  @Test func `a deadline or a budget that makes no sense refuses the flow`() async {
    let flows = [
      Flow("A").deadline(.zero), Flow("B").retryBudget(.retries(-1)), Flow("C").retryBudget(.share(1.5)),
      Flow("D").retryBudget(.share(.nan)), Flow("E").retryBudget(.share(0.5, atLeast: -1)),
    ]
    for flow in flows {
      flow.add("step") { _ in }
      let problems = flow.validate()
      #expect(problems.count == 1 && problems.allSatisfy { $0.severity == .error && !$0.remedy.isEmpty })
      let outcome = await flow.run()
      #expect((outcome.error as? FlowError)?.code == problems.first?.code && outcome.report.stepCount == 0)
    }
  }

  @Test func `good values are no problem`() {
    #expect(problems(.retry(.exponential(attempts: 1, first: .zero, factor: 1, limit: .zero, jitter: 1))).isEmpty)
    #expect(problems(.timeout(.seconds(1), abandoningAfter: .zero)).isEmpty)
    #expect(Flow().deadline(.seconds(1)).retryBudget(.share(0, atLeast: 0)).step().validate().isEmpty)
  }
}
