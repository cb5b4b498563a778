import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct EarlyEndRuleTests {
  private func op() -> BlockOp { BlockOp() }
  private func when(_ value: String) -> FlowCase { FlowCase(key: "target", value: value) }

  private func warnings(_ flow: Flow) -> [String] {
    flow.setData(name: "target", value: "other")
    return flow.validate().filter { $0.code == .incompleteCases }.map { "\($0.severity) \($0.path): \($0.problem)" }
  }

  private func text(_ path: String, _ steps: String) -> [String] {
    ["warning \(path): If no case matches, the flow ends here as a success, and \(steps) won't run."]
  }

  @Test func `cases without an otherwise, and steps behind them, are a warning and no more`() async {
    let flow = Flow().add(operation: op(), flowCase: when("A")).add(operation: op(), flowCase: when("B")).combine()
      .add(operation: op()).add(operation: op())
    #expect(warnings(flow) == text("1. Cases", "2 later steps"))
    #expect(await flow.run().isSuccess)
  }

  @Test func `steps behind the branch that holds the cases count as well`() {
    let flow = Flow().set("other", to: "x").cases(on: "other") {
      $0.when("x") { $0.cases(on: "target") { $0.when("A") { $0.add("a") { _ in } } } }
      $0.otherwise { $0.addNothing() }
    }.add("behind") { _ in }
    #expect(warnings(flow) == text("1. Cases > other=x > 1. Cases", "1 later step"))
  }

  @Test func `in a flow that is a step, only its own steps count`() {
    let cases = Flow("inner").cases(on: "target") { $0.when("A") { $0.add("a") { _ in } } }
    #expect(warnings(Flow().add(flow: cases).add("behind") { _ in }).isEmpty)
    #expect(warnings(Flow().add(flow: cases.add("own") { _ in })) == text("1. inner > 1. Cases", "1 later step"))
  }

  @Test func `a forgotten combine() leaves steps to the last branch`() {
    let forgotten = Flow().add(op(), flowCase: when("A")).add(op(), flowCase: when("B")).add(op()).add(op())
    let problem = "The cases aren't combined: 2 later steps won't run unless the last branch is taken."
    #expect(warnings(forgotten) == ["warning 1. Cases: " + problem])
    #expect(warnings(Flow().add(op(), flowCase: when("A")).add(op())).count == 1)
    let meant = Flow().add(op(), flowCase: when("A")).add(op()).add(op(), flowCase: when("B")).add(op())
    #expect(warnings(meant).isEmpty)
  }

  @Test func `nothing is said where nothing can be skipped`() {
    #expect(warnings(Flow().add(op(), flowCase: when("A")).combine()).isEmpty)
    #expect(warnings(Flow().add(op(), flowCase: when("A")).add(op(), flowCase: .otherwise).combine().add(op())).isEmpty)
    let certain = Flow().setData(name: "target", value: "A").add(op(), flowCase: when("A")).combine().add(op())
    #expect(certain.validate().isEmpty)
    // A step before may change it.
    let open = Flow().setData(name: "target", value: "A").add("any") { _ in }.add(op(), flowCase: when("A")).combine()
    #expect(warnings(open.add(op())).count == 1)
  }

  private enum Plan: String, CaseIterable, Sendable { case free, team, large }

  @Test func `a value that an enum has and no branch is for is named`() throws {
    let key = FlowKey<Plan>("plan")
    let flow = Flow().add("choose", .writes(key)) { $0.set(key, to: .free) }
      .cases(on: key) { cases in for plan in [Plan.free, .large] { cases.when(plan) { $0.add("a") { _ in } } } }
      .add("behind") { _ in }
    let problem = try #require(flow.validate().first { $0.code == .incompleteCases })
    #expect(
      problem.problem
        == "If no case matches, as for .team, the flow ends here as a success, and 1 later step won't run.")
    #expect(problem.remedy == "Add a branch for .team, or an otherwise branch; it may be empty.")
  }
}
