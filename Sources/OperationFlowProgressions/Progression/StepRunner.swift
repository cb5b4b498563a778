/// Performs a progression's steps in the way that its type implements; every way of running is built on it.
///
/// It can be inlined, as can the loops that use it. So they are specialized for the progression's own type if that is
/// known, which makes a step several times as fast.
@usableFromInline
struct StepRunner<Step: Progression> {
  /// The result of performing a step.
  @usableFromInline
  enum Performed {
    /// The value is the next step.
    case done
    /// This deferred produces the next step.
    case deferred(Deferred<Step>)
    /// The step has to be performed by `advance(_:)`.
    case asynchronous
  }

  /// The way that the type implements, determined with the first step.
  @usableFromInline var way: StepWay?
  @usableFromInline var isSure = false

  @usableFromInline
  init() {}

  /// Performs a step, or returns the deferred that will produce it.
  @inlinable
  mutating func perform(_ step: inout Step) throws -> Performed {
    switch way {
    case .update:
      guard let deferred = try step.updateOrDeferNext() else { return .done }
      return .deferred(deferred)
    case .next: return .deferred(step.next())
    case .advance: return .asynchronous
    case nil: return try performFirst(&step)
    }
  }

  /// Performs a step asynchronously, if `perform(_:)` returned `asynchronous`.
  @inlinable
  mutating func advance(_ step: inout Step) async throws {
    if isSure { try await step.advance() } else { try await advanceFirst(&step) }
  }

  @usableFromInline
  mutating func performFirst(_ step: inout Step) throws -> Performed {
    way = .update
    if let answer = try StepQuestion.written(.update, of: Step.self, { try step.updateOrDeferNext() }) {
      return answer.map { .deferred($0) } ?? .done
    }
    way = .next
    if let deferred = StepQuestion.written(.next, of: Step.self, { step.next() }) { return .deferred(deferred) }
    way = .advance
    return .asynchronous
  }

  @usableFromInline
  mutating func advanceFirst(_ step: inout Step) async throws {
    try await StepQuestion.written(.advance, of: Step.self) { try await step.advance() }
    isSure = true
  }
}
