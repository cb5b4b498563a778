/// The combined options from the traits of a step.
package struct StepOptions: Sendable {
  private static let weights = 0...1_000_000

  private final class Box: @unchecked Sendable {
    // Invariant: it is changed only before anything else has it.
    var name: String?
    var weight = 1
    var declared: DeclaredKeys?
    var special: SpecialOptions?
  }

  /// Stored apart, because most steps have no traits, and every access to a step would copy what they change.
  private var box: Box?

  private mutating func change(_ change: (Box) -> Void) {
    let new = Box()
    if let box { (new.name, new.weight, new.declared, new.special) = (box.name, box.weight, box.declared, box.special) }
    change(new)
    box = new
  }

  /// The step's name, if a trait gives it one.
  package var name: String? {
    get { box?.name }
    set { change { $0.name = newValue } }
  }

  /// The share of the step in the progress of its block.
  package var weight: Int {
    get { box?.weight ?? 1 }
    set { change { $0.weight = min(max(newValue, Self.weights.lowerBound), Self.weights.upperBound) } }
  }

  /// The keys that the traits declare; `nil` if they declare none.
  package var declared: DeclaredKeys? {
    get { box?.declared }
    set { change { $0.declared = newValue } }
  }

  /// The options that few steps have; `nil` if the step has none of them.
  package var special: SpecialOptions? {
    get { box?.special }
    set { change { $0.special = newValue } }
  }

  /// Whether they have neither declared keys nor what few steps have.
  var arePlain: Bool {
    guard let box else { return true }
    return box.declared == nil && box.special == nil
  }

  package init() {}

  /// Applies traits in order.
  package init(_ traits: [StepTrait<some FlowStep.Work>]) {
    for trait in traits { trait.change(&self) }
  }
}

extension StepOptions {
  /// How often and how long the step is tried; `nil` for one attempt without a time limit.
  var attempts: AttemptPlan? {
    get { special?.attempts }
    set { changeSpecial { $0.attempts = newValue } }
  }
}

/// The options of a step that cost something at run time: a step without them pays nothing.
package struct SpecialOptions: Sendable {
  package var attempts: AttemptPlan?
  /// The delays between attempts, if they aren't those of the plan.
  package var retry: FlowRetryPolicy?
  /// Whether an error is worth another attempt; `nil` if all are.
  package var isWorthRetrying: (@Sendable (any Error) -> Bool)?
  /// What is done about the failure of the last attempt.
  var recover: (@Sendable (any Error, FlowContext) async throws -> Void)?
  /// What undoes it if the run doesn't succeed.
  package var undo: UndoPlan?
  /// The limiters whose permits the step needs.
  package internal(set) var limits: StepLimits?
  /// What has to be true for the step to run.
  package var conditions: [StepCondition] = []
  /// What a group does with the result of each item.
  package internal(set) var results: ResultPlan?
  /// The traits of which no one knows more than ``StepFeature`` says.
  package var features: [any StepFeature] = []
}
