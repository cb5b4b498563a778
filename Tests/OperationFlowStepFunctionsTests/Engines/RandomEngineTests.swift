import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport
import Testing

@Suite(.heavy, .enabled(if: !Engine.all.isEmpty, "run .ci/engines/run, which starts the interpreters"))
struct RandomEngineTests {
  // MiniStack doesn't check definitions.
  @Test(arguments: Engine.timing) func `two hundred random flows are accepted`(engine: Engine) async throws {
    let client = try engine.client()
    let activity = try await client.createActivity(Engine.freshName("random"))
    for seed in 0..<200 {
      var random = RandomExport(seed: UInt64(seed), Journal())
      let definition = try random.make().amazonStatesLanguage(activity: activity, options: Engine.options())
      let machine = try await client.deployStateMachine(
        Engine.freshName("random-\(seed)"), definition: definition.text, roleARN: Engine.roleARN)
      #expect(machine.contains("random-\(seed)"))
      try await client.deleteStateMachine(machine)
    }
  }

  /// A flow that is made twice: for this machine and for the engine.
  private struct Pair: Sendable {
    let seed: Int
    let here = Journal<String>()
    let there = Journal<String>()
    let localFlow: Flow
    let flow: Flow
    let hasParallel: Bool

    init(seed: Int) {
      self.seed = seed
      var (local, exported) = (RandomExport(seed: UInt64(seed), here), RandomExport(seed: UInt64(seed), there))
      (localFlow, flow) = (local.make(), exported.make())
      hasParallel = local.hasParallel
    }

    /// Runs both flows; `isOnce` is true if the engine loses no answer, so that it performs each step once.
    func check(_ client: StepFunctionsClient, activity: String, isOnce: Bool) async throws {
      let local = await localFlow.run()
      var execution = try await execute(client, activity)
      // If LocalStack loses a task before a worker has it, the error is one of its own and not a timeout. A flow that
      // catches failures has only the name of that error.
      let lost = ["ActivityTaskStartEndpoint", "States.Runtime"]
      for _ in 0..<3 where lost.contains(where: { execution.cause?.contains($0) == true }) {
        execution = try await execute(client, activity)
      }
      try execution.expectSame(as: local, "seed \(seed)")
      guard isOnce else { return }
      // Parallel branches append their lines in any order.
      #expect(
        (hasParallel ? here.entries.sorted() : here.entries) == (hasParallel ? there.entries.sorted() : there.entries),
        "seed \(seed)")
    }

    private func execute(_ client: StepFunctionsClient, _ activity: String) async throws -> StepFunctionsExecution {
      let definition = try flow.amazonStatesLanguage(activity: activity, options: Engine.options())
      let machine = try await client.deployStateMachine(
        Engine.freshName("random-\(seed)"), definition: definition.text, roleARN: Engine.roleARN)
      return try await FlowExecution.start(
        machine, name: "\(seed)", input: try flow.executionInput(), client: client
      ).outcome()
    }
  }

  /// Performs the tasks of several flows, which the names of their executions identify.
  private struct SeveralFlows: TaskPerforming {
    let performers: [String: FlowTaskPerformer]

    func perform(_ input: Data) async throws(FlowTaskFailure) -> Data {
      let run = try FlowTask(json: input).run
      guard let performer = performers[String(run.split(separator: ":").last ?? "")] else {
        throw FlowTaskFailure(cause: "no such run: \(run)", mayBeRetried: false)
      }
      return try await performer.perform(input)
    }

    func heartbeat(for input: Data) -> Duration? { nil }
  }

  @Test(arguments: Engine.open) func `random flows do there what they do here, several at once`(
    engine: Engine
  ) async throws {
    let isSlow = engine.name == "localstack"
    let pairs = (0..<(isSlow ? 20 : 100)).map { Pair(seed: $0) }
    let client = try engine.client()
    let activity = try await client.createActivity(Engine.freshName("random"))
    let performers = Dictionary(uniqueKeysWithValues: pairs.map { ("\($0.seed)", FlowTaskPerformer($0.flow)) })
    let worker = FlowWorker(
      performing: SeveralFlows(performers: performers), activityARN: activity, client: client, concurrency: 8)
    let run = Task { try await worker.run() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, pair) in pairs.enumerated() {
        if place >= 6 { try await group.next() }
        group.addTask { try await pair.check(client, activity: activity, isOnce: !isSlow) }
      }
      try await group.waitForAll()
    }
    run.cancel()
    try await run.value
  }
}
