/// Takes a progression's steps in the way that its type has written: what every way of running stands on.
struct StepTaker<Step: Progression> {
  /// What became of a step.
  enum Taken {
    /// The value is the next step.
    case taken
    /// The next step is to be had from this.
    case deferred(Deferred<Step>)
    /// The step is to be taken by `advance(_:)`.
    case asynchronous
  }

  /// The way that the type has written, found out with the first step.
  private var way: StepWay?
  private var isSure = false

  /// Whether all steps are taken by `advance(_:)`, which is then the same as the step's own.
  var isAsynchronous: Bool { isSure && way == .advance }

  /// Takes a step, or says how it is to be had.
  mutating func take(_ step: inout Step) throws -> Taken {
    switch way {
    case .update:
      guard let deferred = try step.updateOrDeferNext() else { return .taken }
      return .deferred(deferred)
    case .next: return .deferred(step.next())
    case .advance: return .asynchronous
    case nil: return try takeFirst(&step)
    }
  }

  /// Takes a step asynchronously, where `take(_:)` said so.
  mutating func advance(_ step: inout Step) async throws {
    if isSure { return try await step.advance() }
    try await StepQuestion.written(.advance, of: Step.self) { try await step.advance() }
    isSure = true
  }

  private mutating func takeFirst(_ step: inout Step) throws -> Taken {
    way = .update
    if let answer = try StepQuestion.written(.update, of: Step.self, { try step.updateOrDeferNext() }) {
      return answer.map { .deferred($0) } ?? .taken
    }
    way = .next
    if let deferred = StepQuestion.written(.next, of: Step.self, { step.next() }) { return .deferred(deferred) }
    way = .advance
    return .asynchronous
  }
}
