/// The steps of a progression as they are reached, including the first and the last.
///
/// The first element is the progression as it is, before anything has run. Every further element is a step that was
/// reached, up to and including the one with the result. A step runs when you request the next element:
///
/// ```swift
/// for try await step in Greeting.name("Al").steps {
///   print(step)
/// }
/// ```
///
/// The steps run on the pool of tasks. Cancelling the task ends the iteration with `CancellationError` between two
/// steps, and leaving the loop runs no further step.
public struct ProgressionSteps<Step: Progression>: AsyncSequence {
  /// A step of the progression.
  public typealias Element = Step

  @usableFromInline let start: Step

  @inlinable
  init(_ start: Step) { self.start = start }

  /// Returns an iterator that begins with the first step.
  ///
  /// - Returns: An iterator; the progression runs once for each iterator.
  @inlinable
  public func makeAsyncIterator() -> Iterator { Iterator(start) }

  /// Runs the steps of a progression one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline
    enum Position {
      case start
      case underway
      case end
    }

    @usableFromInline var cursor: StepCursor<Step>
    @usableFromInline var position = Position.start

    @inlinable
    init(_ start: Step) { cursor = StepCursor(start) }

    /// Runs a step, and returns the step that follows.
    ///
    /// - Returns: The step; `nil` after the step with the result, and after an error.
    /// - Throws: The error that the step threw, or `CancellationError`.
    @inlinable
    public mutating func next() async throws -> Step? {
      switch position {
      case .end: return nil
      case .start:
        position = .underway
        return cursor.step
      case .underway:
        guard cursor.step.result == nil else { break }
        position = .end
        try await cursor.advance()
        position = .underway
        return cursor.step
      }
      position = .end
      return nil
    }
  }
}

extension ProgressionSteps: Sendable where Step: Sendable {}

extension Progression {
  /// The steps as they are reached, from this one through the one with the result.
  @inlinable
  public var steps: ProgressionSteps<Self> { ProgressionSteps(self) }
}
