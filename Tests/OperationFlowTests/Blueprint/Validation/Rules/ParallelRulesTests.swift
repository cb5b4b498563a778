import OperationFlow
import TestSupport
import Testing

/// A function that was meant to add steps but does something else: it is called while the flow is built.
private func work(_ flow: Flow) {}

/// The rules about parallel branches, and about branches and flows without steps.
@Suite(.watched) struct ParallelRulesTests {
  private let target = FlowKey<String>("target")
  private let link = FlowKey<Int>("link")
  private let other = FlowKey<Int>("other")

  private func write(_ key: FlowKey<Int>, _ name: String) -> @Sendable (Flow) -> Void {
    { $0.add(name, .writes(key)) { $0[key] = 1 } }
  }

  private func concurrentWrites(_ flow: Flow) -> [String] {
    flow.findings.filter { $0.hasPrefix("warning concurrentWrites at ") }.map { String($0.dropFirst(28)) }
  }

  // MARK: Empty

  @Test func `a parallel step without branches is refused, and nothing runs`() async {
    let flow = Flow().add("before") { _ in }.parallel { _ in }
    check("no branch", flow, "error emptyParallel at 2. Parallel")
    let outcome = await flow.run()
    #expect(outcome.code == .emptyParallel && outcome.report.started.isEmpty)
    // The step is refused even if no path reaches it.
    let nested = Flow().add(flow: Flow("inner").parallel("none", .when { _ in false }) { _ in })
    #expect(nested.faults == ["error emptyParallel at 1. inner > 1. none"])
  }

  @Test func `an always to which nothing was added is refused, and nothing runs`() async {
    let flow = Flow("Clean").add("a") { _ in fail("ran") }.always("Always", work)
    let outcome = await flow.run()
    #expect(outcome.code == .emptyBranch && outcome.report.started.isEmpty)
    let text = outcome.error.map { "\($0)" } ?? ""
    #expect(text.hasPrefix("flow \"Clean\", step 2. Always: Nothing was added to it"))
    #expect(text.hasSuffix("Add steps with $0.add, or call $0.addNothing() if it is to do nothing."))
    check("two", flow.always("again", work), "error emptyBranch at 2. Always", "error emptyBranch at 3. again")
  }

  @Test func `so is a branch, wherever it is`() async {
    let cases = Flow().set(target, to: "a").cases(on: target) {
      $0.when("a", work).when("b", "c", steps: work).when("d") { $0.step() }.otherwise(work)
    }
    let places = ["target=a", "target=b|c", "otherwise"]
    #expect(cases.faults == places.map { "error emptyBranch at 1. Cases > " + $0 })
    #expect(await cases.run().code == .invalidFlow)
    let inner = Flow("inner").add("first") { _ in }
      .parallel("both") { $0.branch("left") { $0.step() }.branch("right", work) }
    #expect(Flow().add(flow: inner).faults == ["error emptyBranch at 1. inner > 2. both > right"])
    // The flow is refused even if no path reaches the branch.
    #expect(await Flow().add(flow: inner, .when { _ in false }).run().code == .emptyBranch)
    let always = Flow().parallel { $0.branch("a") { $0.step().always("Always", work) } }
    #expect(always.faults == ["error emptyBranch at 1. Parallel > a > 2. Always"])
    // A flow that is too large to be copied immediately counts as well.
    let many = Flow("many")
    for _ in 0..<300 { many.step() }
    let large = Flow().parallel { $0.branch("a") { $0.add(flow: many) }.branch("b", work) }
    #expect(large.faults == ["error emptyBranch at 1. Parallel > b"])
  }

  @Test func `a secret value that a branch is taken for is not shown`() async {
    let secret = FlowKey<String>("password", sensitive: true)
    let flow = Flow().set(secret, to: "tr0ub4dor").cases(on: secret) { $0.when("tr0ub4dor", work) }
    #expect(flow.findings.allSatisfy { !$0.contains("tr0ub4dor") })
    let outcome = await flow.run()
    #expect(outcome.code == .emptyBranch && outcome.error.map { "\($0)" }?.contains("tr0ub4dor") == false)
  }

  @Test func `a branch that does nothing on purpose, or has steps at the end alone, is fine`() async {
    let ran = Counter()
    let flow = Flow().set(target, to: "x").cases(on: target) {
      $0.when("a") { $0.step() }
      $0.otherwise { $0.addNothing() }
    }
    .parallel {
      $0.branch("left") { $0.addNothing() }
      $0.branch("right") { $0.always { $0.add("end") { _ in ran.enter() } } }
    }
    .always { $0.addNothing() }
    #expect(flow.faults == [])
    #expect(await flow.run().isSuccess && ran.total == 1)
    check("nothing on purpose", Flow().addNothing())
    check("and a step", Flow().addNothing().step())
  }

  // MARK: Branches beside each other

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
      .add(operation: WriteTextOp("x"), flowCase: FlowCase(key: "target", value: "A"))
      .add(operation: WriteOp("x"), flowCase: FlowCase(key: "target", value: "B")).combine()
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
    check("once", flow, "warning concurrentWrites at 1. both: link")
    let problem = try #require(flow.validate().first)
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
    #expect(concurrentWrites(flow) == ["1. outer > inside > 1. inner: other", "1. outer: link"])
    let serial = Flow().parallel { [link] in
      $0.branch("a") {
        write(link, "x")($0)
        write(link, "y")($0)
      }
      $0.branch("b") { $0.step() }
    }
    #expect(concurrentWrites(serial) == [])
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
    #expect(concurrentWrites(flow) == [])
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
