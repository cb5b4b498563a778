import TestSupport
import Testing

@testable import OperationFlow

/// The rules about parallel branches.
@Suite(.watched) struct ParallelRulesTests {
  private let link = FlowKey<Int>("link")
  private let other = FlowKey<Int>("other")

  private func write(_ key: FlowKey<Int>, _ name: String) -> @Sendable (Flow) -> Void {
    { $0.add(name, .writes(key)) { $0[key] = 1 } }
  }

  @Test func `a parallel step without branches is refused, and nothing runs`() async {
    let flow = Flow().add("before") { _ in }.parallel { _ in }
    #expect(flow.findings == ["error emptyParallel at 2. Parallel"])
    let outcome = await flow.run()
    #expect(outcome.code == .emptyParallel && outcome.report.started.isEmpty)
    // Even if no path leads there.
    let nested = Flow().add(flow: Flow("inner").parallel("none", .when { _ in false }) { _ in })
    #expect(nested.faults == ["error emptyParallel at 1. inner > 1. none"])
  }

  @Test func `two branches with one name are refused`() async {
    let flow = Flow().parallel("both") {
      $0.branch("a") { $0.step() }.branch("a") { $0.step() }.branch("b") { $0.step() }
    }
    #expect(flow.faults == ["error repeatedBranch at 1. both"])
    #expect(flow.validate().first { $0.severity == .error }?.problem == "2 of its branches are called \"a\".")
    #expect(await flow.run().code == .repeatedBranch)
  }

  @Test func `what one branch overwrites is known if another branch compares it`() {
    let flow = Flow().set("target", to: "A")
      .add(WriteTextOp("x"), flowCase: FlowCase(key: "target", value: "A"))
      .add(WriteOp("x"), flowCase: FlowCase(key: "target", value: "B")).combine()
      .parallel("both") {
        $0.branch("writes") { $0.add(WriteOp("x")) }
        $0.branch("compares") { $0.add("step", .when(FlowKey<Int>("x"), is: 5), .writesNothing) { _ in } }
      }
    #expect(flow.add(CopyOp("x")).faults == [])
  }

  @Test func `two branches that write one key are a warning that names both steps and says what to do`() async throws {
    let flow = Flow().parallel("both") { [link, other] in
      $0.branch("a", write(link, "x"))
      $0.branch("b") {
        write(other, "y")($0)
        write(link, "z")($0)
      }
      $0.branch("c", write(link, "w"))
    }
    let problem = try #require(flow.validate().first)
    #expect(flow.findings == ["warning concurrentWrites at 1. both: link"])
    #expect(
      problem.problem
        == "1. both > a > 1. x and 1. both > b > 2. z may both write <link> at the same time: the one that writes last overwrites the other."
    )
    #expect(problem.remedy.hasPrefix("Give each branch a key of its own"))
    #expect(await flow.run().isSuccess)
  }

  @Test func `whatever is in the branches counts, and steps one after the other do not`() {
    let inner = Flow("inner").cases(on: "target") { [link] in $0.when("A", write(link, "deep")) }
    let flow = Flow().set("target", to: "A").parallel("outer") { [link, other] in
      $0.branch("flow") { $0.add(flow: inner) }
      $0.branch("group") { $0.forEach(in: 0..<2, .writes(link)) { _, _ in } }
      $0.branch("inside") {
        $0.parallel("inner") { $0.branch("l", write(other, "l")).branch("r", write(other, "r")) }
        write(other, "again")($0)
      }
    }
    #expect(
      flow.findings.filter { $0.contains("concurrentWrites") } == [
        "warning concurrentWrites at 1. outer > inside > 1. inner: other",
        "warning concurrentWrites at 1. outer: link",
      ])
    let serial = Flow().parallel { [link] in
      $0.branch("a") {
        write(link, "x")($0)
        write(link, "y")($0)
      }
      $0.branch("b") { $0.step() }
    }
    #expect(serial.findings.filter { $0.contains("concurrentWrites") } == [])
  }

  @Test func `branches in branches in branches are no trouble`() {
    var flow = Flow("0")
    for depth in 1...2_000 {
      let inner = flow
      flow = Flow("\(depth)").parallel { [link] in
        $0.branch("a") { $0.add(flow: inner) }
        $0.branch("b", write(depth == 2_000 ? link : FlowKey("key \(depth)"), "x"))
      }
    }
    #expect(flow.findings.filter { $0.contains("concurrentWrites") } == [])
  }

  @Test func `what a branch reads must not come from another one`() {
    let flow = Flow().parallel { [link] in
      $0.branch("a", write(link, "x"))
      $0.branch("b") { $0.add("y", .reads(link), .writesNothing) { _ in } }
    }
    #expect(flow.faults == ["error missingData at 1. Parallel > b > 1. y: link"])
    let behind = Flow().parallel { [link] in $0.branch("a", write(link, "x")).branch("b") { $0.addNothing() } }
    #expect(behind.add("y", .reads(link), .writesNothing) { _ in }.faults == [])
  }
}
