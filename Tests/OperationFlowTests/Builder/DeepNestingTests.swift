import Foundation
import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

/// Flows whose nesting is too deep for recursion on a stack.
@Suite(.watched) struct DeepNestingTests {
  private static let depth = 10_000

  private func nested(_ depth: Int = Self.depth, in wrap: (Flow) -> Flow = { Flow("f").add(flow: $0) }) -> Flow {
    var flow = Flow("innermost").add("leaf", .reads(FlowKey<Int>("a")), .writesNothing) { _ in }
    for _ in 0..<depth { flow = wrap(flow) }
    return flow
  }

  @Test func `10,000 flows within each other are built, checked, run, reported and freed`() async throws {
    let flow = nested()
    let problem = try #require(flow.validate().first)
    #expect(problem.code == .missingData && problem.path.description.hasSuffix("> 1. innermost > 1. leaf"))
    #expect(flow.blueprint.allSteps.count == Self.depth + 1)
    let run = flow.start(with: ["a": 1])
    let outcome = await run.outcome
    #expect(outcome.isSuccess && outcome.report.stepCount == Self.depth + 1)
    #expect(outcome.report.summary.contains("[leaf] DidFinish: successfully"))
    let failed = await nested { Flow("f").add(flow: $0) }.run()
    #expect(failed.code == .missingData)
  }

  @Test func `10,000 cases within each other are built, checked and run`() async {
    let flow = nested { inner in
      Flow("f").cases(on: "k") {
        $0.when("a") { $0.add(flow: inner) }
        $0.otherwise { $0.add("other") { _ in } }
      }
    }
    #expect(flow.set("k", to: "a").validate().contains { $0.code == .missingData })
    let outcome = await flow.run(with: ["a": 1])
    #expect(outcome.isSuccess && outcome.report.started.last == "[leaf]")
  }

  @Test func `a flow that was never run is freed without following what is in it`() async {
    // A thread with a small stack, which recursion would overflow.
    let isDone = Signal()
    let thread = Thread {
      _ = nested()
      isDone.fire()
    }
    thread.stackSize = 1 << 18
    thread.start()
    await isDone.wait()
  }

  @Test func `steps that are added behind a deep flow come after it, and a flow can be in several`() async {
    let inner = nested(300)
    let flow = Flow("outer").set("a", to: 1).add(flow: inner).add("between") { _ in }.add(flow: inner).add("last") {
      _ in
    }
    #expect(flow.blueprint.steps.map(\.description) == ["1. f", "2. between", "3. f", "4. last"])
    #expect(flow.blueprint.allSteps.count == 2 * 302 + 2)
    let started = await flow.run().report.started.filter { $0 != "[f]" && $0 != "[innermost]" }
    #expect(started == ["[leaf]", "[between]", "[leaf]", "[last]"])
    flow.add("more") { _ in }
    #expect(flow.blueprint.steps.count == 5 && inner.blueprint.allSteps.count == 301)
  }

  @Test func `a combine() without cases deep inside is named with its place`() {
    var flow = Flow("innermost").combine()
    for index in 0..<300 { flow = Flow("f\(index)").add("step") { _ in }.add(flow: flow) }
    let loose = Flow("outer").add(flow: flow).validate().filter { $0.code == .misplacedCombine }
    #expect(loose.count == 1)
    #expect(loose.first?.path.description.hasPrefix("1. f299 > 2. f298 > ") == true)
    #expect(loose.first?.path.description.hasSuffix("> 2. f0 > 2. innermost > the start") == true)
  }
}
