import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct DependencyRulesTests {
  private func operations(_ count: Int) -> [BlockOp] { (0..<count).map { BlockOp("\($0)") } }

  private func findings(_ flow: Flow) -> [String] {
    flow.validate().filter { $0.code == .unmeetableDependency }.map { "\($0.severity) at \($0.path)" }
  }

  @Test func `a dependency on a later step is an error, and the flow is refused`() async throws {
    let ops = operations(2)
    ops[0].addDependency(ops[1])
    let flow = Flow("Order").add(operation: ops[0]).add(operation: ops[1])
    #expect(findings(flow) == ["error at 1. 0"])
    let error = try #require(await flow.run().error as? FlowError)
    #expect(error.code == .unmeetableDependency && error.flow == "Order")
    #expect(error.problem == "It depends on 2. 1, which can't end before it does.")
    #expect(error.remedy.hasPrefix("Remove the dependency"))
  }

  @Test func `a cycle is an error at each of its steps, also if it goes through operations outside the flow`() {
    let (ops, outside) = (operations(3), BlockOperation())
    ops[0].addDependency(ops[1])
    ops[1].addDependency(ops[0])
    #expect(findings(Flow().add(operation: ops[0]).add(operation: ops[1])) == ["error at 1. 0", "error at 2. 1"])
    let others = operations(2)
    others[0].addDependency(outside)
    outside.addDependency(others[1])
    #expect(findings(Flow().add(operation: others[0]).add(operation: others[1])) == ["error at 1. 0"])
  }

  @Test func `a step that holds what comes later is found through cases and flows`() {
    let ops = operations(2)
    ops[0].addDependency(ops[1])
    let cases = Flow().set("k", to: "a").add(operation: ops[0])
      .cases(on: "k") { $0.when("a") { $0.add(operation: ops[1]) } }
    #expect(findings(cases) == ["error at 1. 0"])
    let inner = Flow("inner").add(operation: ops[0]).step()
    #expect(
      findings(Flow().add(flow: inner).step().add(flow: Flow("next").add(operation: ops[1]))) == [
        "error at 1. inner > 1. 0"
      ])
  }

  @Test func `a dependency on an earlier step, in the same branch or outside the flow is fine`() async {
    let (ops, outside) = (operations(4), BlockOp())
    ops[1].addDependency(ops[0])
    ops[3].addDependency(ops[2])
    ops[3].addDependency(ops[0])
    ops[2].addDependency(outside)
    let flow = Flow().set("k", to: "a").add(operation: ops[0]).add(flow: Flow("inner").add(operation: ops[1]))
      .cases(on: "k") { $0.when("a") { $0.add(operation: ops[2]).add(operation: ops[3]) } }
    #expect(findings(flow) == [])
    outside.start()
    #expect(await flow.run().isSuccess)
  }

  @Test func `a dependency on a branch that may not be taken is a warning, and does not wait then`() async {
    for (value, isTaken) in [("y", true), ("n", false)] {
      let (order, ops) = (Journal<String>(), operations(2))
      let first = BlockOp("first") {
        order.append("first")
        $0.finishSuccessfully()
      }
      ops[1].addDependency(first)
      let flow = Flow().set("k", to: value)
        .cases(on: "k") {
          $0.when("y") { $0.add(flow: Flow("deep").add(operation: first)) }
          $0.otherwise { $0.addNothing() }
        }
        .add(operation: ops[1])
      #expect(findings(flow) == ["warning at 2. 1"])
      #expect(await flow.run().isSuccess)
      #expect(order.entries == (isTaken ? ["first"] : []) && first.isFinished)
    }
  }

  @Test func `what is passed over because no case matches in an inner flow is not waited for`() async {
    let ops = operations(3)
    ops[2].addDependency(ops[0])
    ops[2].addDependency(ops[1])
    let inner = Flow("inner").cases(on: "k") { $0.when("a") { $0.add(operation: ops[0]) } }.add(operation: ops[1])
    let outcome = await Flow().set("k", to: "b").add(flow: inner).add(operation: ops[2]).run()
    #expect(outcome.isSuccess && outcome.report.started == ["[inner]", "[2]"])
  }

  @Test func `what is passed over because no case matches in a parallel branch is not waited for`() async {
    let ops = operations(4)
    ops[3].addDependency(ops[0])
    ops[3].addDependency(ops[1])
    let outcome = await Flow().set("k", to: "b")
      .parallel {
        $0.branch("first") { $0.add(operation: ops[2]) }
        $0.branch("second") { $0.cases(on: "k") { $0.when("a") { $0.add(operation: ops[0]) } }.add(operation: ops[1]) }
      }
      .add(operation: ops[3]).run()
    #expect(outcome.isSuccess && outcome.report.started.filter { ["[0]", "[1]"].contains($0) } == [])
    #expect(outcome.report.started.suffix(2) == ["[2]", "[3]"])
  }

  @Test func `dependencies that change between two checks are seen`() async {
    let ops = operations(2)
    let flow = Flow().add(operation: ops[0]).add(operation: ops[1])
    #expect(findings(flow) == [])
    ops[0].addDependency(ops[1])
    #expect(await flow.run().code == .unmeetableDependency)
    ops[0].removeDependency(ops[1])
    #expect(await flow.run().isSuccess)
  }

  @Test func `of what runs at the end, a dependency on what runs after it is an error`() async {
    let (ops, others) = (operations(2), operations(2))
    ops[0].addDependency(ops[1])
    let flow = Flow().always { $0.add(operation: ops[0]) }.always { $0.add(operation: ops[1]) }
    #expect(findings(flow) == ["error at 1. Always > 1. 0"])
    #expect(await flow.run().code == .unmeetableDependency)
    others[1].addDependency(others[0])
    let ordered = Flow().always { $0.add(operation: others[0]) }.always { $0.add(operation: others[1]) }
    #expect(findings(ordered) == [])
    #expect(await ordered.run().isSuccess)
  }

  @Test func `what runs at the end does not wait for what never ran because the run was over before`() async {
    let ops = operations(2)
    ops[1].addDependency(ops[0])
    let flow = Flow().add("fail") { _ in throw TestError() }.add(operation: ops[0])
      .always { $0.add(operation: ops[1]) }
    #expect(findings(flow) == [])
    let report = await flow.run().report
    #expect(report.failure?.error is TestError && report.started == ["[fail]", "[Always]", "[1]"])
    #expect(ops[0].isFinished && ops[1].isFinished)
  }
}
