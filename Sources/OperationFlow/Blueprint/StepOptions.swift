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
  /// How often and how long the step is tried; `nil` for one attempt without a time limit.
  var attempts: AttemptPlan? {
    get { boxedAttempts?.plan }
    set { boxedAttempts = newValue.map(BoxedPlan.init) }
  }
  /// Stored apart because it is rare, and every access to a step would copy it.
  private var boxedAttempts: BoxedPlan?

  private final class BoxedPlan: Sendable {
    let plan: AttemptPlan

    init(_ plan: AttemptPlan) { self.plan = plan }
  }

  package init() {}

  /// Applies traits in order.
  package init(_ traits: [StepTrait<some StepWork>]) {
    for trait in traits { trait.change(&self) }
  }
}
