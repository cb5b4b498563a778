import Testing

@testable import OperationFlow

@Suite(.watched) struct BlockScopeTests {
  private let blueprint = MachineParts.chain(weights: 1, 2, 1)

  private func move(_ block: inout BlockScope) -> String { "\(block.advance(in: blueprint))" }

  @Test func `steps come one after the other, and then the end`() {
    var block = BlockScope(Blueprint.root, .plain)
    #expect((0..<4).map { _ in move(&block) } == ["step(0)", "step(1)", "step(2)", "end"])
  }

  @Test func `the end of a flow that is a step is a piece of work, and that of a branch is none`() {
    var flow = BlockScope(Blueprint.root, .flow(7))
    #expect((0..<4).map { _ in move(&flow) }.last == "leave(7)")
    var branch = BlockScope(Blueprint.root, .branch)
    #expect((0..<4).map { _ in move(&branch) }.last == "end")
  }

  @Test func `work is offered until it is claimed, and not while a scope within is at work`() {
    var block = BlockScope(Blueprint.root, .plain)
    #expect(block.offered == nil)
    block.offer(.step(0))
    #expect(block.offered == .step(0))
    #expect(block.claim() == .step(0))
    #expect(block.offered == nil && block.work == .step(0))
    block.offer(.step(1))
    block.wait()
    #expect(block.offered == nil && block.work == nil)
  }

  @Test func `a flow is open until its end is claimed`() {
    var flow = BlockScope(Blueprint.root, .flow(7))
    #expect(flow.openHolder == 7)
    flow.offer(.leave(7))
    #expect(flow.openHolder == 7)
    _ = flow.claim()
    #expect(flow.openHolder == nil)
    #expect(
      BlockScope(Blueprint.root, .plain).openHolder == nil && BlockScope(Blueprint.root, .branch).openHolder == nil)
  }

  @Test func `the end of a parallel step leaves the flow open that holds it`() {
    var flow = BlockScope(Blueprint.root, .flow(7))
    flow.offer(.leave(3))
    #expect(flow.openStep == 3 && flow.openHolder == 7)
    _ = flow.claim()
    #expect(flow.openStep == nil && flow.openHolder == 7)
    flow.offer(.leave(7))
    #expect(flow.openStep == nil)
  }

  @Test func `what is done follows the weights, and a current step counts once its work has settled`() {
    var block = BlockScope(Blueprint.root, .plain)
    #expect(block.doneFraction(in: blueprint) == 0 && block.currentFraction(in: blueprint) == 0)
    _ = block.advance(in: blueprint)
    _ = block.advance(in: blueprint)
    block.offer(.plan(1))
    #expect(block.doneFraction(in: blueprint) == 0.25 && block.currentFraction(in: blueprint) == 0.5)
    block.offer(.collect(1))
    #expect(block.doneFraction(in: blueprint) == 0.75)
    block.offer(.leave(1))
    #expect(block.doneFraction(in: blueprint) == 0.75)
    var flow = BlockScope(Blueprint.root, .flow(7))
    flow.offer(.leave(7))
    #expect(flow.doneFraction(in: blueprint) == 1)
  }

  @Test func `steps that weigh nothing are no part of the progress`() {
    let weightless = MachineParts.chain(weights: 0, 0)
    var block = BlockScope(Blueprint.root, .plain)
    _ = block.advance(in: weightless)
    _ = block.advance(in: weightless)
    #expect(block.doneFraction(in: weightless) == 0 && block.currentFraction(in: weightless) == 0)
  }
}
