/// What a run is started from: the flow as it was at one moment.
struct Launch {
  let recorder: Recorder
  private let flowName: String
  private let blueprint: Blueprint
  private let facts: BlueprintFacts
  private let clock: any Clock<Duration>
  /// A block that runs before the first step may set data that nothing else knows about.
  private let mayHoldMore: Bool

  init(
    flowName: String, blueprint: Blueprint, facts: BlueprintFacts, observers: [Recorder.Observer],
    recording: FlowRecording, clock: any Clock<Duration>, mayHoldMore: Bool
  ) {
    self.flowName = flowName
    self.blueprint = blueprint
    self.facts = facts
    self.clock = clock
    self.mayHoldMore = mayHoldMore
    recorder = Recorder(observers: observers, recording: recording, paths: facts.paths)
  }

  var sensitiveNames: Set<String> { facts.sensitiveNames }

  /// What is wrong with the flow; warnings stop nothing.
  func error(data: [String: any Sendable]) -> FlowError? {
    let whole = facts.whole(blueprint)
    let errors =
      facts.errors.map { $0 + UnmeetableDependencyRule.problems(in: whole) }
      ?? Validation.errors(whole, ports: facts.ports, data: data, mayHoldMore: mayHoldMore)
    return errors.isEmpty ? nil : FlowError(errors).located(flow: flowName, step: nil)
  }

  /// Reserves the operations that were made beforehand; the error says which one is not free.
  func reserveOperations() -> FlowError? {
    blueprint.reserveInstances().map { FlowError.usedTwice($0.name).located(flow: flowName, step: $0.name) }
  }

  /// The engine of the run; one with a refusal runs nothing.
  func engine(
    _ bucket: DataBucket, _ refusal: FlowError?, didFinish: (@MainActor @Sendable () -> Void)?
  ) -> RunEngine {
    RunEngine(
      flowName: flowName, blueprint: blueprint, table: facts.table, bucket: bucket, recorder: recorder,
      refusal: refusal, clock: clock, didFinish: didFinish)
  }
}
