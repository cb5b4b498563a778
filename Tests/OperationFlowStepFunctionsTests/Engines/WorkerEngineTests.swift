import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct WorkerEngineTests {
  @Test(arguments: Engine.open) func `three workers perform what is asked for, each task once`(
    engine: Engine
  ) async throws {
    let client = try engine.client()
    let activity = try await client.createActivity(Engine.freshName("items"))
    let definition =
      #"{"StartAt":"All","States":{"All":{"Type":"Map","ItemsPath":"$.items","MaxConcurrency":4,"End":true,"#
      + #""Iterator":{"StartAt":"One","States":{"One":{"Type":"Task","Resource":"\#(activity)","TimeoutSeconds":300,"#
      + #""End":true}}}}}}"#
    let machine = try await client.deployStateMachine(
      Engine.freshName("items"), definition: definition, roleARN: Engine.roleARN)
    let performed = Locked([String]())
    let workers = (1...3).map { number in
      FlowWorker(
        performing: ClosurePerformer { input in
          performed.withLock { $0.append(input) }
          return "{\"item\":\(input)}"
        }, activityARN: activity, client: client, concurrency: 2, name: "worker\(number)")
    }
    let runs = workers.map { worker in Task { try await worker.run() } }
    let execution = try await FlowExecution.start(
      machine, name: "a", input: Data(#"{"items":[0,1,2,3,4,5,6,7,8,9]}"#.utf8), client: client)
    let outcome = try await execution.outcome()
    for run in runs {
      run.cancel()
      try await run.value
    }
    #expect(outcome.status == .succeeded)
    let output = try JSONDecoder().decode([[String: Int]].self, from: outcome.output ?? Data())
    #expect(output == (0..<10).map { ["item": $0] })
    #expect(performed.withLock { $0.sorted() } == (0..<10).map(String.init))
  }

  @Test(arguments: Engine.timing) func `heartbeats keep a task of five seconds alive at a limit of two`(
    engine: Engine
  ) async throws {
    let client = try engine.client()
    let started = try await engine.start("beat", task: ["TimeoutSeconds": 60, "HeartbeatSeconds": 2])
    let events = EventList()
    let worker = FlowWorker(
      performing: ClosurePerformer(heartbeat: .seconds(2)) { _ in
        // The promise is about work of this length.
        try? await Task.sleep(for: .seconds(5))
        return Task.isCancelled ? "\"cancelled\"" : "\"alive\""
      }, activityARN: started.activity, client: client, onEvent: { events.add($0) })
    let run = Task { try await worker.run() }
    let outcome = try await FlowExecution(arn: started.execution, client: client).outcome()
    run.cancel()
    try await run.value
    #expect(outcome.status == .succeeded)
    #expect(outcome.output == Data("\"alive\"".utf8))
    // An engine may be slow to answer a heartbeat.
    #expect(events.texts.filter { $0 != "1 without heartbeat" } == ["1 began", "1 succeeded"])
  }

  @Test(arguments: Engine.timing) func `a missed heartbeat fails the task, and the late answer does no harm`(
    engine: Engine
  ) async throws {
    let client = try engine.client()
    let started = try await engine.start("late", task: ["TimeoutSeconds": 60, "HeartbeatSeconds": 1])
    let (ended, events) = (Signal(), EventList())
    let answered = Tally()
    let worker = FlowWorker(
      performing: ClosurePerformer { _ in
        await ended.wait()
        return "\"late\""
      }, activityARN: started.activity, client: client,
      onEvent: { event in
        events.add(event)
        answered.add()
      })
    let run = Task { try await worker.run() }
    let outcome = try await FlowExecution(arn: started.execution, client: client).outcome()
    ended.fire()
    await answered.reach(2)
    run.cancel()
    try await run.value
    #expect(outcome.status == .failed && outcome.error == "States.Timeout")
    #expect(events.texts == ["1 began", "1 refused: InvalidToken"])
  }

  @Test(arguments: Engine.aborting) func `a stopped execution is aborted, and takes no harm from a late answer`(
    engine: Engine
  ) async throws {
    let client = try engine.client()
    let started = try await engine.start("stop")
    let task = try #require(try await client.getActivityTask(started.activity))
    let execution = FlowExecution(arn: started.execution, client: client)
    try await execution.stop(error: "Stopped", cause: "no longer wanted")
    #expect(try await execution.outcome().status == .aborted)
    try await client.sendTaskSuccess(task.token, output: Data("{}".utf8))
    #expect(try await execution.outcome().status == .aborted)
  }

  @Test(arguments: Engine.checking) func `a worker with a wrong secret ends with an error that says so`(
    engine: Engine
  ) async throws {
    let activity = try await engine.client().createActivity(Engine.freshName("wrong"))
    let worker = FlowWorker(
      performing: ClosurePerformer { $0 }, activityARN: activity, client: try engine.client(secret: "another"),
      concurrency: 3)
    let error = await #expect(throws: StepFunctionsError.self) { try await worker.run() }
    #expect(error?.isAboutAccess == true)
    #expect(error?.action == "GetActivityTask")
  }

  @Test(arguments: Engine.open) func `fifty polls are open at once, and cut off at any moment`(
    engine: Engine
  ) async throws {
    var generator = SeededGenerator(seed: TestSettings.firstSeed())
    let client = try engine.client()
    let activity = try await client.createActivity(Engine.freshName("polls"))
    for _ in 0..<3 {
      let worker = FlowWorker(
        performing: ClosurePerformer { $0 }, activityARN: activity, client: client, concurrency: 50)
      let run = Task { try await worker.run() }
      for _ in 0..<generator.below(3_000) { await Task.yield() }
      run.cancel()
      try await run.value
    }
    // The engines offer tasks to disconnected polls for as long as a minute, so this uses another activity.
    let started = try await engine.start("polls", input: "[1]")
    let worker = FlowWorker(
      performing: ClosurePerformer { $0 }, activityARN: started.activity, client: client, concurrency: 50)
    let run = Task { try await worker.run() }
    let outcome = try await FlowExecution(arn: started.execution, client: client).outcome()
    run.cancel()
    try await run.value
    #expect(outcome.status == .succeeded && outcome.output == Data("[1]".utf8))
  }
}
