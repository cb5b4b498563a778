import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct LimitEngineTests {
  private let large = String(repeating: "x", count: 300_000)

  private func flow() -> Flow {
    Flow("Large").set(.numbers, to: [2, 3])
      .add("make", .writes(.name)) { [large] in $0[.name] = large }
      .add("measure", .reads(.name), .writes(.count)) { $0[.count] = try $0.require(.name).count }
      .forEach(.numbers, into: .squares, width: 2, .reads(.name)) { number, context in
        number * (try context.require(.name).count)
      }
  }

  @Test(arguments: Engine.open) func `a value of 300 kB goes from step to step by reference`(
    engine: Engine
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(Engine.freshName("values"))
    defer { try? FileManager.default.removeItem(at: folder) }
    let values = FlowLargeValues.folder(folder)
    let execution = try await engine.run(flow(), largeValues: values)
    #expect(execution.status == .succeeded)
    let json = try #require(execution.output)
    #expect(json.count < 1_000)
    let output = try StateMachineOutput(json: await FlowLargeValues.resolving(json, with: values))
    #expect(output[.name] == large && output[.count] == 300_000 && output[.squares] == [600_000, 900_000])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
  }

  @Test(arguments: Engine.open) func `an execution begins with a value of 300 kB by reference`(
    engine: Engine
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(Engine.freshName("values"))
    defer { try? FileManager.default.removeItem(at: folder) }
    let values = FlowLargeValues.folder(folder)
    let flow = Flow("Large").set(.name, to: large).set(.numbers, to: [2, 3])
      .add("measure", .reads(.name), .writes(.count)) { $0[.count] = try $0.require(.name).count }
      .forEach(.numbers, into: .squares, width: 2) { number, _ in number * number }
    let execution = try await engine.run(flow, largeValues: values)
    #expect(execution.status == .succeeded)
    let output = try StateMachineOutput(json: try #require(execution.output))
    #expect(output[.count] == 300_000 && output[.squares] == [4, 9])
  }

  @Test(arguments: Engine.open) func `without a store, a value of 300 kB is a readable error`(
    engine: Engine
  ) async throws {
    let execution = try await engine.run(flow())
    #expect(execution.status == .failed && execution.error == FlowTaskFailure.finalName)
    let cause = execution.cause ?? ""
    #expect(cause.contains("262144") && cause.contains("FlowLargeValues"), "\(cause)")
  }

  // LocalStack ends a stopped execution as failed while it waits for a task, and MiniStack doesn't notify workers.
  @Test(arguments: Engine.open) func `stopping ends an execution, and the next heartbeat cancels the work`(
    engine: Engine
  ) async throws {
    let (began, cancelled, later, events) = (Signal(), Signal(), Tally(), EventList())
    let flow = Flow("Stopped")
      .add("endless", .writesNothing) { _ in
        await began.fireUntilCancelled()
        cancelled.fire()
      }
      .add("later", .writesNothing) { _ in later.add() }
    let options = StateMachineOptions(taskTimeout: .seconds(60), heartbeat: .seconds(3))
    let (activity, machine) = try await engine.deploy(flow, options: options)
    let client = try engine.client()
    let worker = FlowWorker(
      flow, activity: activity, client: client, gracePeriod: .zero, onEvent: { events.add($0) })
    let run = Task { try await worker.run() }
    let execution = try await FlowExecution.start(
      machine, name: "run", input: try flow.executionInput(), client: client)
    await began.wait()
    try await execution.stop(error: "Stopped", cause: "no longer wanted")
    let tellsWorkers = engine.name == "localstack"
    if tellsWorkers { await cancelled.wait() }
    let outcome = try await execution.outcome()
    run.cancel()
    try await run.value
    #expect(outcome.status == (tellsWorkers ? .failed : .aborted))
    #expect(tellsWorkers == events.texts.contains("1 cancelled: InvalidToken"))
    #expect(later.count == 0 && cancelled.isOn)
  }
}
