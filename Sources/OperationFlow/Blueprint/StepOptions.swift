import Foundation

/// The combined options from the traits of a step.
package struct StepOptions: Sendable {
  private static let weights = 0...1_000_000

  /// Stored apart, because most steps have no traits, and every access to a step would copy what they change.
  private var changed: SpecialOptions?

  private mutating func change(_ change: (SpecialOptions) -> Void) {
    let options = copy()
    change(options)
    changed = options
  }

  @inline(never)
  private func copy() -> SpecialOptions { SpecialOptions(changed) }

  package var name: String? {
    get { changed?.name }
    set { change { $0.name = newValue } }
  }

  /// The share of the step in the progress of its block.
  package var weight: Int {
    get { changed?.weight ?? 1 }
    set { change { $0.weight = min(max(newValue, Self.weights.lowerBound), Self.weights.upperBound) } }
  }

  /// The keys that the traits declare; `nil` if they declare none.
  package var declared: DeclaredKeys? {
    get { changed?.declared }
    set { change { $0.declared = newValue } }
  }

  /// The options that few steps have; `nil` if the step has none of them.
  package var special: SpecialOptions? { changed.flatMap { $0.areSpecial ? $0 : nil } }

  package mutating func changeSpecial(_ change: (SpecialOptions) -> Void) {
    self.change { options in
      options.areSpecial = true
      change(options)
    }
  }

  /// Whether they have neither declared keys nor what few steps have.
  var arePlain: Bool {
    changed.map { $0.declared == nil && !$0.areSpecial } ?? true
  }

  package init() {}

  package init(_ traits: [StepTrait<some FlowStep.Work>]) {
    for trait in traits { trait.change(&self) }
  }
}

/// What the traits of a step change: nearly all of it costs something at run time, and a step without it pays nothing.
package final class SpecialOptions: @unchecked Sendable {
  // Invariant: it is changed only before anything else has it, so the language need not check for overlapping accesses.
  @exclusivity(unchecked) fileprivate var name: String?
  @exclusivity(unchecked) fileprivate var weight = 1
  @exclusivity(unchecked) fileprivate var declared: DeclaredKeys?
  /// Whether there is anything but these.
  @exclusivity(unchecked) fileprivate var areSpecial = false

  /// How often and how long the step is tried; `nil` for one attempt without a time limit.
  @exclusivity(unchecked) package internal(set) var attempts: AttemptPlan?
  /// The delays between attempts, if they aren't those of the plan.
  @exclusivity(unchecked) package internal(set) var retry: FlowRetryPolicy?
  /// Whether an error is worth another attempt; `nil` if all are.
  @exclusivity(unchecked) package internal(set) var isWorthRetrying: (@Sendable (any Error) -> Bool)?
  /// What is done about the failure of the last attempt.
  @exclusivity(unchecked) var recover: (@Sendable (any Error, FlowContext) async throws -> Void)?
  @exclusivity(unchecked) package internal(set) var undo: UndoPlan?
  @exclusivity(unchecked) package internal(set) var limits: StepLimits?
  @exclusivity(unchecked) package internal(set) var conditions: [StepCondition] = []
  /// What a group does with the result of each item.
  @exclusivity(unchecked) package var results: ResultPlan?
  /// The traits of which no one knows more than ``StepFeature`` says.
  @exclusivity(unchecked) package internal(set) var features: [any StepFeature] = []

  fileprivate init(_ other: SpecialOptions?) {
    guard let other else { return }
    (name, weight, declared, areSpecial) = (other.name, other.weight, other.declared, other.areSpecial)
    (attempts, retry, isWorthRetrying) = (other.attempts, other.retry, other.isWorthRetrying)
    (recover, undo, limits, conditions) = (other.recover, other.undo, other.limits, other.conditions)
    (results, features) = (other.results, other.features)
  }

  /// What diagrams show of them.
  var marks: StepMarks {
    var marks: StepMarks = []
    if let attempts, attempts.count > 1 { marks.insert(.retry) }
    if let attempts, attempts.isTimed { marks.insert(.timeout) }
    if undo != nil { marks.insert(.undo) }
    if !conditions.isEmpty { marks.insert(.condition) }
    for feature in features { marks.formUnion(feature.marks) }
    return marks
  }

  /// What is wrong with their values, whatever the data.
  var mistakes: [FlowError] {
    var found = limits?.limiters.flatMap(\.errors) ?? []
    found += [retry?.error, undo?.retry?.error].compactMap(\.self)
    for case let time? in [attempts?.timeout, attempts?.totalTimeout, undo?.timeout] where time <= .zero {
      found.append(
        FlowError(
          .invalidTimeout, "the step may take \(time)", remedy: "Give .timeout more than zero, or leave it out."))
    }
    if let time = attempts?.abandonsAfter, time < .zero {
      found.append(
        FlowError(
          .invalidTimeout, "work that has timed out is abandoned after \(time)",
          remedy: "Give abandoningAfter zero or more, or leave it out to wait for the work."))
    }
    return found + features.compactMap(\.mistake)
  }
}
