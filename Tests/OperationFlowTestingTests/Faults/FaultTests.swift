import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow

@Suite(.watched) struct FaultTests {
  @Test func `the first attempts of an item fail, and the next one does its work`() async throws {
    let faults = FlowFaults().failing("photos", items: 1...1, attempts: 1...2)
    let flow = try publishing().tried(3).injecting(faults)
    let report = try await flow.run(with: given).expectSuccess()
    try report.expectAttempts(3, of: "photos", item: 1).expectAttempts(1, of: "photos", item: 0)
    try report.expectData(.links, equals: ["https://a", "https://b", "https://c"])
    #expect(faults.injected.map(\.description) == (1...2).map { "4. photos #2 (attempt \($0)) fails" })
  }

  @Test func `a delay that is added later leaves the faults that a flow has`() async throws {
    let flow = try publishing().injecting(FlowFaults().failing("greet", with: TestError(name: "first")))
    let clock = ManualClock()
    let outcome = try await flow.injecting(FlowFaults().delaying("greet", by: .seconds(5))).run(on: clock, with: given)
    #expect(try outcome.expectFailure(of: TestError.self, in: "greet") == TestError(name: "first"))
    #expect(clock.now.offset == .seconds(5))
  }

  @Test func `an operation, a closure and an operation object fail with the error that is given`() async throws {
    for step in ["LoginOp", "greet", "object"] {
      let flow = publishing().add(operation: LoginOp(), .named("object"))
      let faults = FlowFaults().failing(step, with: TestError(name: step))
      let outcome = try await flow.injecting(faults).run(with: given)
      #expect(try outcome.expectFailure(of: TestError.self, in: step) == TestError(name: step))
      #expect(outcome.report.steps.first { $0.name == step }?.end == .failed)
    }
    let outcome = try await publishing().injecting(FlowFaults().failing("greet")).run(with: given)
    #expect(try outcome.expectFailure(of: InjectedFault.self).path == "2. greet")
  }

  @Test func `work that hangs is ended by its time limit, and work that is delayed comes later`() async throws {
    let clock = ManualClock()
    let faults = FlowFaults().hanging("greet", attempts: 1...1).delaying("LoginOp", by: .seconds(3))
    let flow = try publishing().tried(2, timeout: .seconds(20)).injecting(faults)
    let report = try await flow.run(on: clock, with: given).expectSuccess()
    try report.expectAttempts(2, of: "greet").expectAttempts(1, of: "LoginOp")
    #expect(clock.now.offset == .seconds(23))
    #expect(report.steps.first?.duration == .seconds(3) && report[.token] == "token of a@b.c")
  }

  @Test func `a step that is cancelled by a fault cancels the run, and a run that hangs can be cancelled`() async throws
  {
    let outcome = try await publishing().injecting(FlowFaults().cancelling("greet")).run(with: given)
    try outcome.expectCancelled().expectPath(["LoginOp", "greet"])
    let faults = FlowFaults().hanging("photos")
    let clock = ManualClock()
    let run = try publishing().clock(clock).injecting(faults).start(with: given)
    await clock.untilIdle()
    #expect(faults.injected.count == 3)
    run.cancel()
    try await run.outcome.expectCancelled()
  }

  @Test func `a delay comes before another fault of the same work`() async throws {
    let clock = ManualClock()
    let faults = FlowFaults().failing("greet").delaying("greet", by: .seconds(2)).delaying("greet", by: .seconds(3))
    let outcome = try await publishing().injecting(faults).run(on: clock, with: given)
    try outcome.expectFailure(of: InjectedFault.self, in: "greet")
    #expect(clock.now.offset == .seconds(5) && faults.injected.count == 3)
  }

  @Test func `the same seed gives the same faults in any order, and another seed others`() async throws {
    func failed(_ seed: UInt64, on clock: ManualClock?) async throws -> Set<FlowFaults.Injected> {
      let faults = FlowFaults(seed: seed).failing(share: 0.2)
      let flow = try Flow().forEach(in: 0..<200, width: 8, tolerating: .all) { (_: Int, _) async in await Task.yield() }
        .injecting(faults)
      _ = if let clock { await flow.run(on: clock) } else { await flow.run() }
      return Set(faults.injected)
    }
    let first = try await failed(7, on: nil)
    #expect(try await failed(7, on: ManualClock()) == first)
    #expect(try await failed(8, on: nil) != first)
    #expect((20...60).contains(first.count))
  }

  @Test func `a flow that is observed has the same faults`() async throws {
    let seen = Journal<String>()
    let flow = try publishing().observe { seen.append("\($0.kind)") }.injecting(FlowFaults().failing("greet"))
    try await flow.run(with: given).expectFailure(of: InjectedFault.self, in: "greet")
    #expect(seen.entries.count { $0 == "started" } == 2)
  }

  @Test func `faults that make no sense are refused`() {
    let flow = publishing()
    let faults = FlowFaults()
    for wrong in [
      faults.failing(share: 1.5), faults.failing(share: .nan), faults.failing(attempts: 0...1),
      faults.failing(items: -1...1), faults.delaying(by: .seconds(-1)),
    ] {
      let error = #expect(throws: FlowError.self) { try flow.injecting(wrong) }
      #expect(error?.code == .invalidFault)
    }
    let error = #expect(throws: FlowError.self) { try flow.injecting(faults.failing("nothing")) }
    #expect(error?.code == .unknownStep)
  }
}
