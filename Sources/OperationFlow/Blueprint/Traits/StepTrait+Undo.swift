extension StepTrait where Work: FlowStep.LeafWork {
  /// Undoes what the step has done, if the run fails or is cancelled later; in a group, what each item has done.
  ///
  /// What has succeeded is undone when everything has ended: one after the other, the last first, each once. If one fails,
  /// the others still run, and the outcome keeps its error; ``FlowReport/undos`` has all of them. Nothing cancels or pauses
  /// undos: give those that may hang a timeout. See <doc:UndoingAndCleaningUp>.
  ///
  /// - Parameters:
  ///   - policy: How often an undo that fails is tried, and with which delays, beside the run's retry budget; `nil`: once.
  ///   - timeout: How long an attempt may take before it is cancelled and fails; `nil` for no limit.
  ///   - body: What to do. Its context has ``FlowContext/item(as:)``, ``FlowContext/output(as:)`` and ``FlowContext/ending``.
  /// - Returns: The trait.
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil,
    _ body: @escaping @Sendable (_ context: FlowContext) async throws -> Void
  ) -> Self {
    Self { $0.undo(UndoPlan(work: .closure(body), retry: policy, timeout: timeout)) }
  }

  /// Undoes what the step has done with an operation, if the run fails or is cancelled later.
  ///
  /// It works like ``undo(retry:timeout:_:)``. In a group, the operation finds the item under the key of its own primary
  /// input, and what the item's work has returned under the key of its own primary output.
  ///
  /// - Parameters:
  ///   - policy: How often an undo that fails is tried, and with which delays; once if it is `nil`.
  ///   - timeout: How long an attempt may take before it is cancelled and fails; `nil` for no limit.
  ///   - operation: Makes the operation; it is called for each attempt.
  /// - Returns: The trait.
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil,
    operation: @autoclosure @escaping @Sendable () throws -> FlowOperation
  ) -> Self {
    Self { $0.undo(UndoPlan(work: .operation(operation), retry: policy, timeout: timeout)) }
  }
}

extension StepOptions {
  fileprivate mutating func undo(_ plan: UndoPlan) {
    give(".undo")
    undo = plan
  }
}

extension StepTrait where Work == FlowStep.Composite {
  /// An undo of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others isn't undone as a whole: give .undo to the steps in it."
  )
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil,
    _ body: @escaping @Sendable (_ context: FlowContext) async throws -> Void
  ) -> Self { Self { _ in } }

  /// An undo of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others isn't undone as a whole: give .undo to the steps in it."
  )
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil,
    operation: @autoclosure @escaping @Sendable () throws -> FlowOperation
  ) -> Self { Self { _ in } }
}

/// How the work of a step, or of a group's item, is undone.
package final class UndoPlan: Sendable {
  package enum Work: Sendable {
    case closure(@Sendable (FlowContext) async throws -> Void)
    case operation(@Sendable () throws -> FlowOperation)
  }

  package let work: Work
  package let retry: FlowRetryPolicy?
  package let timeout: Duration?

  init(work: Work, retry: FlowRetryPolicy?, timeout: Duration?) {
    self.work = work
    self.retry = retry
    self.timeout = timeout
  }

  package var attempts: AttemptPlan {
    AttemptPlan(count: retry?.attempts ?? 1, isCounted: retry != nil, timeout: timeout)
  }
}
