@testable import OperationFlow

/// Blueprints to drive a state machine with, and a few inputs at once.
enum MachineParts {
  static func step(_ attempts: AttemptPlan? = nil, name: String = "op") -> Blueprint.Step {
    var step = Blueprint.Step(name: name, kind: .closure(.sync { _ in }))
    step.options.attempts = attempts
    return step
  }

  static func group(_ attempts: AttemptPlan? = nil) -> Blueprint.Step {
    let group = GroupStep(
      creator: SuccessOp.self, dispatcher: FlowArrayGroupDispatcher(inputKey: "in", outputKey: "out"))
    var step = Blueprint.Step(name: "group", kind: .group(group))
    step.options.attempts = attempts
    return step
  }

  static func blueprint(_ build: (inout BlueprintBuilder) -> Void) -> Blueprint {
    var builder = BlueprintBuilder()
    build(&builder)
    return builder.blueprint
  }

  /// A blueprint of plain steps, one for each weight.
  static func chain(weights: Int...) -> Blueprint {
    blueprint { builder in
      for weight in weights {
        builder.add(step(), condition: nil)
        builder.setWeightOfLastStep(weight)
      }
    }
  }

  static func flow(_ blueprint: Blueprint) -> FlowSnapshot {
    FlowSnapshot(name: "flow", inner: InnerFlow(blueprint), data: [:], sensitiveNames: [])
  }
}

extension BlueprintBuilder {
  mutating func add(_ step: Blueprint.Step) { add(step, condition: nil) }

  mutating func addParallel(_ branches: [Blueprint]) {
    addParallel("parallel", branches.enumerated().map { ("\($0)", InnerFlow($1)) })
  }
}

extension RunStateMachine {
  /// A machine that has begun.
  init(begun build: (inout BlueprintBuilder) -> Void) {
    self.init(MachineParts.blueprint(build))
    begin()
  }

  /// Claims the next piece of work and settles it; `nil` if there is none.
  @discardableResult
  mutating func perform(_ result: RunResult = .settled(.succeeded)) -> RunWork? {
    guard let offer = claim() else { return nil }
    _ = settle(offer.ticket, result)
    return offer.work
  }

  /// Claims all that can be claimed.
  mutating func claimAll() -> [RunOffer] {
    var offers: [RunOffer] = []
    while let offer = claim() { offers.append(offer) }
    return offers
  }
}
