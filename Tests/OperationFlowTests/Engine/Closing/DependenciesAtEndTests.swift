import OperationFlow
import TestSupport
import Testing

/// Operations that depend on each other, some of which run at the end of a run.
@Suite(.watched) struct DependenciesAtEndTests {
  private let order = Journal<String>()

  private func operation(_ name: String, after dependencies: FlowOperation...) -> BlockOp {
    let operation = BlockOp(name) { [order] operation in
      order.append(name)
      operation.finishSuccessfully()
    }
    for dependency in dependencies { operation.addDependency(dependency) }
    return operation
  }

  private func circle() -> BlockOp {
    let operation = operation("circle")
    operation.addDependency(self.operation("other", after: operation))
    return operation
  }

  private func findings(_ flow: Flow) -> [String] {
    flow.validate().filter { $0.code == .unmeetableDependency }.map { "\($0.severity) at \($0.path)" }
  }

  @Test func `what a failing always step leaves out is not waited for by a later one`() async {
    let left = operation("left")
    let flow = Flow().step()
      .always("First") { $0.add("fails") { _ in throw TestError() }.add(operation: left) }
      .always("Second") { $0.add(operation: operation("waits", after: left)) }
    #expect(await flow.run().error is TestError)
    #expect(order.entries == ["waits"] && left.isFinished)
  }

  @Test func `what an inner flow that never began has for the end is not waited for`() async {
    for endsEarly in [true, false] {
      let left = operation("left")
      let inner = Flow("inner").step()
      inner.always { $0.add(operation: left) }
      let flow = Flow().set("key", to: "other")
      if endsEarly {
        flow.cases(on: "key") { $0.when("this") { $0.step() } }
      } else {
        flow.add("fails") { _ in throw TestError() }
      }
      flow.add(flow: inner).always { $0.add(operation: operation("waits", after: left)) }
      #expect(await flow.run().isSuccess == endsEarly)
      #expect(left.isFinished)
    }
    #expect(order.entries == ["waits", "waits"])
  }

  @Test func `what an inner flow that has begun has for the end is waited for, though the run fails`() async {
    let first = operation("first")
    let inner = Flow("inner").add("fails") { _ in throw TestError() }
    inner.always { $0.add(operation: first) }
    let flow = Flow().add(flow: inner).always { $0.add(operation: operation("waits", after: first)) }
    #expect(await flow.run().error is TestError)
    #expect(order.entries == ["first", "waits"])
  }

  @Test func `an undo that waits for what runs after the undos fails, and the rest runs`() async {
    let last = operation("last")
    let flow = Flow()
      .add("undone", .undo { [order] _ in order.append("undo") }) { _ in }
      .add("waits", .undo(operation: self.operation("never", after: last))) { _ in }
      .add("fails") { _ in throw TestError() }
      .always { $0.add(operation: last) }
    let report = await flow.run().report
    #expect(report.failure?.error is TestError)
    #expect(report.undos.map { ($0.error as? FlowError)?.code } == [.unmeetableDependency, nil])
    #expect(order.entries == ["undo", "last"])
  }

  @Test func `an operation that is made in the run fails if it waits for a later one, or in a circle`() async throws {
    let later = operation("later")
    let flow = Flow().add("first") { _ in }.add(self.operation("made", after: later)).add(operation: later)
    let error = try #require(await flow.run().error as? FlowError)
    #expect(error.code == .unmeetableDependency && error.step == "[made]")
    #expect(error.problem == "It depends on [later], which can't end before it does")
    #expect(await Flow().add(self.circle()).run().code == .unmeetableDependency)
    #expect(order.entries.isEmpty)
  }

  @Test func `what waits for something outside is not taken for one that waits for ever`() async {
    let (outside, later) = (BlockOp("outside"), operation("later"))
    let other = NoticedOp()
    other.addDependency(outside)
    // It waits for the operation that follows the other branch's. Only checks before the run could show that this will
    // end.
    let flow = Flow()
      .parallel {
        $0.branch("first") { $0.add(self.operation("made", after: later)) }
        $0.branch("second") { $0.add(operation: other).add(operation: later) }
      }
    let run = flow.start()
    await other.isNoticed.wait()
    outside.start()
    #expect(await run.outcome.isSuccess)
    #expect(order.entries == ["later", "made"])
  }

  @Test func `a dependency on what runs later at the end is refused, in the order in which blocks have begun`() {
    func inner(_ name: String, _ operation: FlowOperation) -> Flow {
      let flow = Flow(name).step()
      flow.always("End of \(name)") { $0.add(operation: operation) }
      return flow
    }
    // The flow that began last runs its `always` steps first.
    let first = operation("first")
    #expect(
      findings(Flow().add(flow: inner("a", first)).add(flow: inner("b", operation("second", after: first))))
        == ["error at 2. b > 2. End of b > 1. second"])
    let second = operation("second")
    #expect(
      findings(Flow().add(flow: inner("a", operation("first", after: second))).add(flow: inner("b", second))) == [])
    // The steps at the end of a part follow that part.
    let end = operation("end")
    let within = Flow().always { $0.add(flow: inner("in", end)).add(operation: operation("waits", after: end)) }
    #expect(findings(within) == ["error at 1. Always > 2. waits"])
    // Only one of two branches of cases is chosen, and the steps of parallel branches have no order.
    for isParallel in [true, false] {
      let (one, flow) = (operation("one"), Flow().set("key", to: 1))
      let (left, right) = (inner("left", one), inner("right", operation("two", after: one)))
      if isParallel {
        flow.parallel { $0.branch("left") { $0.add(flow: left) }.branch("right") { $0.add(flow: right) } }
      } else {
        flow.cases(on: "key") { $0.when(1) { $0.add(flow: left) }.when(2) { $0.add(flow: right) } }
      }
      #expect(findings(flow).allSatisfy { $0.hasPrefix("warning") })
    }
  }

  @Test func `what runs at the end and is awaited by what came before is refused`() {
    let end = operation("end")
    let inner = Flow("inner").add(operation: operation("waits", after: end))
    inner.always { $0.add(operation: end) }
    #expect(findings(Flow().add(flow: inner).step()) == ["error at 1. inner > 1. waits"])
  }
}
