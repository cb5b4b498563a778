import Foundation
import OperationFlow
import OperationFlowDurable
import OperationFlowReports
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct WaitEngineTests {
  @Test(arguments: Engine.timing) func `a step that waits lets time pass elsewhere, and the record says how long`(
    engine: Engine
  ) async throws {
    let flow = Flow("Waits").add("one", .writes(.count)) { $0[.count] = 1 }.wait(.seconds(2), named: "pause")
      .wait(until: Date(timeIntervalSince1970: 1_000), named: "past").add("two", .writes(.total)) { $0[.total] = 2 }
    let (activity, machine) = try await engine.deploy(flow)
    let client = try engine.client()
    let execution = try await FlowExecution.start(machine, name: "run", input: Data("{}".utf8), client: client)
    let worker = FlowWorker(flow, activity: activity, client: client)
    let run = Task { try await worker.run() }
    let outcome = try await execution.outcome()
    run.cancel()
    try await run.value
    #expect(outcome.status == .succeeded)
    let record = try await execution.record(of: flow)
    #expect(record.steps.map(\.state) == [.succeeded, .succeeded, .succeeded, .succeeded])
    #expect(record.steps[1].duration ?? .zero >= .seconds(1))
  }
}
