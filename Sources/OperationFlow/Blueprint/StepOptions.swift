/// The combined options from the traits of a step.
package struct StepOptions: Sendable {
  private static let weights = 0...1_000_000

  /// The step's name, if a trait gives it one.
  package var name: String?
  /// How much the step counts in the progress of its block.
  package var weight = 1 {
    didSet { weight = min(max(weight, Self.weights.lowerBound), Self.weights.upperBound) }
  }
  /// The keys that the traits declare; `nil` if they declare none.
  var declared: DeclaredKeys?
  /// The options that few steps have; `nil` if the step has none of them.
  var special: SpecialOptions? {
    get { boxed?.options }
    set { boxed = newValue.map(Box.init) }
  }
  /// Stored apart because it is rare, and every access to a step would copy it.
  private var boxed: Box?

  private final class Box: Sendable {
    let options: SpecialOptions

    init(_ options: SpecialOptions) { self.options = options }
  }

  /// Whether they have neither declared keys nor what few steps have.
  var arePlain: Bool { declared == nil && boxed == nil }

  package init() {}

  /// Applies traits in order.
  package init(_ traits: [StepTrait<some StepWork>]) {
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
struct SpecialOptions: Sendable {
  var attempts: AttemptPlan?
  /// The delays between attempts, if they aren't those of the plan.
  var retry: FlowRetryPolicy?
  /// Whether an error is worth another attempt; `nil` if all are.
  var isWorthRetrying: (@Sendable (any Error) -> Bool)?
  /// What is done about the failure of the last attempt.
  var recover: (@Sendable (any Error, FlowContext) async throws -> Void)?
  /// What undoes it if the run doesn't succeed.
  var undo: UndoPlan?
  /// The limiters whose permits the step needs.
  var limits: StepLimits?
  /// What has to be true for the step to run.
  var conditions: [StepCondition] = []
  /// What a group does with the result of each item.
  var results: ResultPlan?
}
