import Foundation
import OperationFlow
import OperationFlowStepFunctions
import TestSupport

/// Performs tasks with a closure.
struct ClosurePerformer: TaskPerforming {
  var heartbeat: Duration?
  let body: @Sendable (String) async throws(FlowTaskFailure) -> String

  func perform(_ input: Data) async throws(FlowTaskFailure) -> Data {
    Data(try await body(String(decoding: input, as: UTF8.self)).utf8)
  }

  func heartbeat(for input: Data) -> Duration? { heartbeat }
}

/// Stores the events of a worker as texts.
final class EventList: Sendable {
  private let state = Locked([String]())

  var texts: [String] { state.withLock { $0 } }

  func add(_ event: FlowWorkerEvent) {
    let text =
      switch event {
      case .began(let task): "\(task) began"
      case .succeeded(let task): "\(task) succeeded"
      case .failed(let task, _): "\(task) failed"
      case .cancelledByService(let task, let error): "\(task) cancelled: \(error.code)"
      case .answerRefused(let task, let error): "\(task) refused: \(error.code)"
      case .answerDelayed(let task, _, _): "\(task) delayed"
      case .answerLost(let task, _): "\(task) lost"
      case .heartbeatFailed(let task, _): "\(task) without heartbeat"
      case .pollFailed: "poll failed"
      }
    state.withLock { $0.append(text) }
  }
}

extension FlowWorker {
  /// Creates a worker for tests.
  ///
  /// Each call is made once, unless `attempts` is larger.
  static func forTests(
    _ service: ActivityService, clock: StepClock = StepClock(jumps: false), concurrency: Int = 1, attempts: Int = 1,
    gracePeriod: Duration = .seconds(30), heartbeat: Duration? = nil, awaitsOpenPolls: Bool = false,
    largeValues: FlowLargeValues? = nil, events: EventList = EventList(),
    body: @escaping @Sendable (String) async throws(FlowTaskFailure) -> String
  ) -> FlowWorker {
    FlowWorker(
      performing: ClosurePerformer(heartbeat: heartbeat, body: body), activityARN: "arn:a",
      client: StepFunctionsClient(transport: service, attempts: attempts, clock: StepClock(jumps: true)),
      concurrency: concurrency, name: "w", gracePeriod: gracePeriod,
      awaitsOpenPolls: awaitsOpenPolls, largeValues: largeValues, clock: clock, seed: 1,
      onEvent: { events.add($0) })
  }

  /// Runs the worker until `isDone` returns, and cancels it.
  ///
  /// There are `count` tasks, whose inputs are their numbers.
  func run(_ count: Int, of service: ActivityService, until isDone: () async throws -> Void) async throws {
    for number in 0..<count { service.add("\(number + 1)") }
    let run = Task { try await self.run() }
    try await isDone()
    run.cancel()
    try await run.value
  }
}
