/// The combined options from the traits of a step.
package struct StepOptions: Sendable {
  package var name: String?
  /// The share of the step in the progress of its block.
  package var weight = 1 { didSet { weight = min(max(weight, 0), 1_000_000) } }
  package var declared: DeclaredKeys?
  /// `nil` for one attempt without a time limit.
  package internal(set) var attempts: AttemptPlan?
  package internal(set) var retry: FlowRetryPolicy?
  /// Whether an error is worth another attempt; `nil` if all are.
  package internal(set) var isWorthRetrying: (@Sendable (any Error) -> Bool)?
  var recover: (@Sendable (any Error, FlowContext) async throws -> Void)?
  package internal(set) var undo: UndoPlan?
  /// Each once, in the same order in all flows, so that no two steps wait for each other's permits.
  package private(set) var limiters: [FlowLimiter] = []
  package internal(set) var conditions: [StepCondition] = []
  package var results: ResultPlan?
  package internal(set) var features: [any StepFeature] = []

  /// The traits that were given, of those that a step can have once: a handful.
  private var given: [String] = []
  /// Those that were given again, each once: the last one counts.
  private(set) var repeated: [String] = []

  package init() {}

  package init(_ traits: [StepTrait<some FlowStep.Work>]) {
    for trait in traits { trait.change(&self) }
  }

  /// The options of a step with these traits; `nil` if there are none.
  package static func of(_ traits: [StepTrait<some FlowStep.Work>]) -> StepOptions? {
    traits.isEmpty ? nil : StepOptions(traits)
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
      found.append(.invalidTimeout("the step's timeout is \(time)", "Give .timeout more than zero, or leave it out."))
    }
    if let time = attempts?.abandonsAfter, time < .zero {
      found.append(
        .invalidTimeout(
          "the timeout's abandoningAfter is \(time)",
          "Give abandoningAfter zero or more, or leave it out to wait for the work."))
    }
    return found + features.compactMap(\.mistake)
  }

  /// Notes a trait that a step can have once, such as `.retry`.
  package mutating func give(_ trait: String) {
    if !given.contains(trait) { given.append(trait) } else if !repeated.contains(trait) { repeated.append(trait) }
  }

  mutating func declare(reads: [StepPort]? = nil, writes: [StepPort]? = nil) {
    declared = (declared ?? DeclaredKeys()).adding(reads: reads, writes: writes)
  }

  mutating func limit(by more: [FlowLimiter]) {
    for limiter in more where !limiters.contains(where: { $0 === limiter }) { limiters.append(limiter) }
    limiters = limiters.sorted { ObjectIdentifier($0) < ObjectIdentifier($1) }
  }

  /// Adds a feature, in place of an earlier one of its type.
  package mutating func set<Feature: StepFeature>(_ feature: Feature) {
    features = features.filter { !($0 is Feature) } + [feature]
  }
}
