import TestSupport
import Testing

@testable import OperationFlow

/// A closure that does its work itself, instead of adding it, is called while the flow is built.
@Suite(.watched) struct EmptyBranchRuleTests {
  private let target = FlowKey<String>("target")

  /// Adds nothing, and does something instead.
  private func work(_ flow: Flow) {}

  @Test func `an always to which nothing was added is refused, and nothing runs`() async {
    let flow = Flow("Clean").add("a") { _ in fail("ran") }.always("Always", work).always("again", work)
    #expect(flow.findings == ["error emptyBranch at 2. Always", "error emptyBranch at 3. again"])
    let outcome = await Flow("Clean").add("a") { _ in fail("ran") }.always("Always", work).run()
    #expect(outcome.code == .emptyBranch && outcome.report.started.isEmpty)
    let text = outcome.error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("flow \"Clean\", step 2. Always: Nothing was added to it"))
    #expect(text.hasSuffix("Add steps with $0.add, or call $0.addNothing() if it is to do nothing."))
  }

  @Test func `so is a branch, wherever it is`() async {
    let cases = Flow().set(target, to: "a").cases(on: target) {
      $0.when("a", work).when("b", "c", steps: work).when("d") { $0.step() }.otherwise(work)
    }
    #expect(
      cases.faults == [
        "error emptyBranch at 1. Cases > target=a", "error emptyBranch at 1. Cases > target=b|c",
        "error emptyBranch at 1. Cases > otherwise",
      ])
    #expect(await cases.run().code == .invalidFlow)
    let inner = Flow("inner").add("first") { _ in }
      .parallel("both") { $0.branch("left") { $0.step() }.branch("right", work) }
    #expect(Flow().add(flow: inner).faults == ["error emptyBranch at 1. inner > 2. both > right"])
    // Even if no path leads there.
    let unreached = Flow().add(flow: inner, .when { _ in false })
    #expect(await unreached.run().code == .emptyBranch)
    let always = Flow().parallel { $0.branch("a") { $0.step().always("Always", self.work) } }
    #expect(always.faults == ["error emptyBranch at 1. Parallel > a > 2. Always"])
  }

  @Test func `a secret value that a branch is taken for is not shown`() async {
    let secret = FlowKey<String>("password", sensitive: true)
    let flow = Flow().set(secret, to: "tr0ub4dor").cases(on: secret) { $0.when("tr0ub4dor", work) }
    #expect(flow.findings.allSatisfy { !$0.contains("tr0ub4dor") })
    let outcome = await flow.run()
    #expect(outcome.code == .emptyBranch && outcome.error.map { "\($0)" }?.contains("tr0ub4dor") == false)
  }

  @Test func `a branch that does nothing on purpose says so`() async {
    let flow = Flow().set(target, to: "x").cases(on: target) {
      $0.when("a") { $0.step() }
      $0.otherwise { $0.addNothing() }
    }
    .parallel {
      $0.branch("left") { $0.addNothing() }
      $0.branch("right") { $0.step() }
    }
    .always { $0.addNothing() }
    #expect(flow.findings.filter { $0.hasPrefix("error") } == [])
    #expect(await flow.run().isSuccess)
    #expect(Flow().addNothing().findings == [])
    #expect(Flow().addNothing().step().findings == [])
  }

  @Test func `a branch with nothing but steps at the end has something`() async {
    let ran = Counter()
    let flow = Flow().parallel { $0.branch("a") { $0.always { $0.add("end") { _ in ran.enter() } } } }
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess && ran.total == 1)
  }

  @Test func `what was too large to be copied at once counts as well`() async {
    let many = Flow("many")
    for _ in 0..<300 { many.step() }
    let flow = Flow().parallel { $0.branch("a") { $0.add(flow: many) }.branch("b", work) }
    #expect(flow.faults == ["error emptyBranch at 1. Parallel > b"])
  }
}
