extension StepTrait where Work: FlowStep.LeafWork {
  /// Undoes what the step has done, if the run fails or is cancelled later; in a group, what each item has done.
  ///
  /// What has succeeded is undone when everything has ended: one after the other, the last first, each once. If one fails,
  /// the others still run, and the outcome keeps its error; ``FlowReport/undos`` has all of them. Nothing cancels or pauses
  /// undos: give those that may hang a timeout. See <doc:UndoingAndCleaningUp>.
  ///
  /// With `alsoIfUncertain`, work that has begun and not succeeded is undone as well, because its effect may have happened: the
  /// payment whose answer was lost. The undo finds out by ``FlowContext/stepIdempotencyKey`` what there is to undo. If the run has
  /// failed or was cancelled while such work was under way, that is undone first.
  ///
  /// - Parameters:
  ///   - policy: How often an undo that fails is tried, and with which delays, beside the run's retry budget; `nil`: once.
  ///   - timeout: How long an attempt may take before it is cancelled and fails; `nil` for no limit.
  ///   - alsoIfUncertain: If true, the undo also runs if an attempt has begun, and the last one has failed or was cut off.
  ///   - body: What to do. Its context has ``FlowContext/item(as:)``, ``FlowContext/output(as:)`` and ``FlowContext/ending``.
  /// - Returns: The trait.
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil, alsoIfUncertain: Bool = false,
    _ body: @escaping @Sendable (_ context: FlowContext) async throws -> Void
  ) -> Self {
    Self { $0.undo(UndoPlan(work: .closure(body), retry: policy, timeout: timeout, isForUncertain: alsoIfUncertain)) }
  }

  /// Undoes what the step has done with an operation, if the run fails or is cancelled later.
  ///
  /// It works like ``undo(retry:timeout:alsoIfUncertain:_:)``. In a group, the operation finds the item under the key of its own primary
  /// input, and what the item's work has returned under the key of its own primary output.
  ///
  /// - Parameters:
  ///   - policy: How often an undo that fails is tried, and with which delays; once if it is `nil`.
  ///   - timeout: How long an attempt may take before it is cancelled and fails; `nil` for no limit.
  ///   - alsoIfUncertain: If true, the undo also runs if an attempt has begun, and the last one has failed or was cut off.
  ///   - operation: Makes the operation; it is called for each attempt.
  /// - Returns: The trait.
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil, alsoIfUncertain: Bool = false,
    operation: @autoclosure @escaping @Sendable () throws -> FlowOperation
  ) -> Self {
    Self {
      $0.undo(UndoPlan(work: .operation(operation), retry: policy, timeout: timeout, isForUncertain: alsoIfUncertain))
    }
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
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil, alsoIfUncertain: Bool = false,
    _ body: @escaping @Sendable (_ context: FlowContext) async throws -> Void
  ) -> Self { Self { _ in } }

  /// An undo of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others isn't undone as a whole: give .undo to the steps in it."
  )
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil, alsoIfUncertain: Bool = false,
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
  /// True if it is also for work that has begun and not succeeded.
  package let isForUncertain: Bool

  init(work: Work, retry: FlowRetryPolicy?, timeout: Duration?, isForUncertain: Bool = false) {
    self.work = work
    self.retry = retry
    self.timeout = timeout
    self.isForUncertain = isForUncertain
  }

  package var attempts: AttemptPlan {
    AttemptPlan(count: retry?.attempts ?? 1, isCounted: retry != nil, timeout: timeout)
  }
}
