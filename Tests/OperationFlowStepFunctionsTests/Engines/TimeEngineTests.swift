import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct TimeEngineTests {
  @Test(arguments: Engine.timing) func `a task whose worker is lost is given to another one`(
    engine: Engine
  ) async throws {
    let attempts = Journal<Int>()
    let flow = Flow("Lost").add("work", .writes(.count)) { context in
      attempts.append(context.attempt)
      context[.count] = context.attempt
    }
    let options = StateMachineOptions(taskTimeout: .seconds(60), heartbeat: .seconds(2))
    let (activity, machine) = try await engine.deploy(flow, options: options)
    let client = try engine.client()
    let execution = try await FlowExecution.start(machine, name: "run", input: Data("{}".utf8), client: client)
    // This worker receives the task, and never answers.
    let lost = try #require(try await client.getActivityTask(activity))

    let worker = FlowWorker(flow, activity: activity, client: client)
    let run = Task { try await worker.run() }
    let outcome = try await execution.outcome()
    run.cancel()
    try await run.value
    #expect(outcome.status == .succeeded)
    #expect(try FlowTask(json: lost.input).attempt == 1)
    #expect(attempts.entries.first == 2)
    #expect(try StateMachineOutput(json: outcome.output ?? Data())[.count] == attempts.entries.last)
    let error = await #expect(throws: StepFunctionsError.self) {
      try await client.sendTaskSuccess(lost.token, output: Data("0".utf8))
    }
    #expect(error?.code.description == "InvalidToken")
  }

  @Test(arguments: Engine.timing) func `a timeout fails the flow, which is undone, and the late answer does no harm`(
    engine: Engine
  ) async throws {
    let (lines, ended, refused, events) = (Journal<String>(), Signal(), Signal(), EventList())
    let flow = Flow("Late")
      .add("quick", .undo { _ in lines.append("undo") }) { _ in lines.append("quick") }
      .add("slow", .timeout(.seconds(1)), .writesNothing) { _ in await ended.wait() }
      .always { $0.add("always", .writesNothing) { _ in lines.append("always") } }
    let (activity, machine) = try await engine.deploy(flow)
    let client = try engine.client()
    let worker = FlowWorker(
      flow, activity: activity, client: client, concurrency: 2,
      onEvent: { event in
        events.add(event)
        if case .answerRefused = event { refused.fire() }
      })
    let run = Task { try await worker.run() }
    let execution = try await FlowExecution.start(machine, name: "run", input: Data("{}".utf8), client: client)
    let outcome = try await execution.outcome()
    await ended.fire(thenAwait: refused)
    run.cancel()
    try await run.value
    #expect(outcome.status == .failed)
    // No `Fail` state may have an error whose name begins with `States.`.
    #expect(outcome.error == FlowTaskFailure.failedName && outcome.cause?.hasPrefix("States.Timeout: ") == true)
    #expect(lines.entries == ["quick", "undo", "always"])
    #expect(events.texts.filter { $0.contains("refused") } == ["2 refused: InvalidToken"])
  }
}
