/// The combined options from the traits of a step.
package struct StepOptions: Sendable {
  package var name: String?
  /// The share of the step in the progress of its block.
  package var weight = 1 { didSet { weight = min(max(weight, 0), 1_000_000) } }
  package var declared: DeclaredKeys?
  /// The number of attempts and their time limits; `nil` for one attempt without a time limit.
  package internal(set) var attempts: AttemptPlan?
  package internal(set) var retry: FlowRetryPolicy?
  /// Returns true if an error is worth another attempt; `nil` if all errors are.
  package internal(set) var isWorthRetrying: (@Sendable (any Error) -> Bool)?
  var recover: (@Sendable (any Error, FlowContext) async throws -> Void)?
  package internal(set) var undo: UndoPlan?
  /// Each limiter once, in the same order in all flows, so that no two steps wait for each other's permits.
  package private(set) var limiters: [FlowLimiter] = []
  package internal(set) var conditions: [StepCondition] = []
  package var results: ResultPlan?
  package internal(set) var features: [any StepFeature] = []

  /// The given traits of which a step can have one each; there are only a few, so this is an array.
  private var given: [String] = []
  /// The traits that were given more than once, each listed once; the last one counts.
  private(set) var repeated: [String] = []

  package init() {}

  package init(_ traits: [StepTrait<some FlowStep.Work>]) {
    for trait in traits { trait.change(&self) }
  }

  /// Returns the options of a step with these traits; `nil` if there are no traits.
  package static func of(_ traits: [StepTrait<some FlowStep.Work>]) -> StepOptions? {
    traits.isEmpty ? nil : StepOptions(traits)
  }

  /// The marks of the options; empty if there are only a name and a weight.
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
    if results?.delivers == true { marks.formUnion([.handedResults, .tasks]) }
    for feature in features {
      marks.formUnion([.features, feature.marks])
      if feature.precedence != 0 { marks.insert(.precedence) }
    }
    return marks
  }

  /// The errors in the options' values, which don't depend on the data.
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

  /// Records that a trait was given of which a step can have only one, such as `.retry`.
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

  /// Adds a feature, and removes an earlier one of the same type.
  package mutating func set<Feature: StepFeature>(_ feature: Feature) {
    features = features.filter { !($0 is Feature) } + [feature]
  }
}
