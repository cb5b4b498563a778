/// The combined options from the traits of a step; an object, because every access to a step would copy them.
package final class StepOptions: @unchecked Sendable {
  // Invariant: it is changed only before anything else has it, so the language need not check for overlapping accesses.
  @exclusivity(unchecked) package var name: String?
  /// The share of the step in the progress of its block.
  @exclusivity(unchecked) package var weight = 1 { didSet { weight = min(max(weight, 0), 1_000_000) } }
  @exclusivity(unchecked) package var declared: DeclaredKeys?
  /// `nil` for one attempt without a time limit.
  @exclusivity(unchecked) package internal(set) var attempts: AttemptPlan?
  @exclusivity(unchecked) package internal(set) var retry: FlowRetryPolicy?
  /// Whether an error is worth another attempt; `nil` if all are.
  @exclusivity(unchecked) package internal(set) var isWorthRetrying: (@Sendable (any Error) -> Bool)?
  @exclusivity(unchecked) var recover: (@Sendable (any Error, FlowContext) async throws -> Void)?
  @exclusivity(unchecked) package internal(set) var undo: UndoPlan?
  /// Each once, in the same order in all flows, so that no two steps wait for each other's permits.
  @exclusivity(unchecked) package private(set) var limiters: [FlowLimiter] = []
  @exclusivity(unchecked) package internal(set) var conditions: [StepCondition] = []
  @exclusivity(unchecked) package var results: ResultPlan?
  @exclusivity(unchecked) package internal(set) var features: [any StepFeature] = []

  /// The traits that were given, of those that a step can have once.
  @exclusivity(unchecked) private var given: Set<String> = []
  /// Those that were given again, each once: the last one counts.
  @exclusivity(unchecked) private(set) var repeated: [String] = []

  package init(_ other: StepOptions? = nil) {
    guard let other else { return }
    (name, weight, declared, attempts, retry) = (other.name, other.weight, other.declared, other.attempts, other.retry)
    (isWorthRetrying, recover, undo, limiters) = (other.isWorthRetrying, other.recover, other.undo, other.limiters)
    (conditions, results, features) = (other.conditions, other.results, other.features)
    (given, repeated) = (other.given, other.repeated)
  }

  /// `nil` if there are no traits.
  package convenience init?(_ traits: [StepTrait<some FlowStep.Work>]) {
    if traits.isEmpty { return nil }
    self.init()
    for trait in traits { trait.change(self) }
  }

  /// What a run and its reports ask for; empty if there are none but a name and a weight.
  var marks: StepMarks {
    var marks: StepMarks = declared == nil ? [] : .declaresKeys
    if let attempts {
      marks.insert(.attempts)
      if attempts.count > 1 { marks.insert(.retry) }
      if attempts.isTimed { marks.formUnion([.timeout, .timed]) }
      if attempts.recovers { marks.insert(.tasks) }
    }
    if let undo {
      marks.formUnion([.undo, .attempts, .tasks])
      if undo.attempts.isTimed { marks.insert(.timed) }
    }
    if !limiters.isEmpty { marks.insert(.limits) }
    if !conditions.isEmpty { marks.insert(.condition) }
    if results?.kept != nil { marks.insert(.keptResults) }
    if results?.handsOn == true { marks.formUnion([.handedResults, .tasks]) }
    for feature in features {
      marks.formUnion([.features, feature.marks])
      if feature.precedence != 0 { marks.insert(.precedence) }
    }
    return marks
  }

  /// What is wrong with their values, whatever the data.
  var mistakes: [FlowError] {
    var found = limiters.flatMap(\.errors) + [retry?.error, undo?.retry?.error].compactMap(\.self)
    for case let time? in [attempts?.timeout, attempts?.totalTimeout, undo?.timeout] where time <= .zero {
      found.append(.invalidTimeout("the step may take \(time)", "Give .timeout more than zero, or leave it out."))
    }
    if let time = attempts?.abandonsAfter, time < .zero {
      found.append(
        .invalidTimeout(
          "work that has timed out is abandoned after \(time)",
          "Give abandoningAfter zero or more, or leave it out to wait for the work."))
    }
    return found + features.compactMap(\.mistake)
  }

  /// Notes a trait that a step can have once, such as `.retry`.
  package func give(_ trait: String) {
    if !given.insert(trait).inserted, !repeated.contains(trait) { repeated.append(trait) }
  }

  func declare(reads: [StepPort]? = nil, writes: [StepPort]? = nil) {
    declared = (declared ?? DeclaredKeys()).adding(reads: reads, writes: writes)
  }

  func limit(by more: [FlowLimiter]) {
    for limiter in more where !limiters.contains(where: { $0 === limiter }) { limiters.append(limiter) }
    limiters = limiters.ordered { ObjectIdentifier($0) < ObjectIdentifier($1) }
  }

  /// Adds a feature, in place of an earlier one of its type.
  package func set<Feature: StepFeature>(_ feature: Feature) {
    features = features.filter { !($0 is Feature) } + [feature]
  }
}
