extension StepTrait where Work: FlowStep.LeafWork {
  /// Undoes the step's work if the run fails or is cancelled later; in a group, the work of each item.
  ///
  /// The undos run when all other work has ended: one after the other, the last success first, each once. If an undo
  /// fails, the others still run, and the outcome still has the error of the run; ``FlowReport/undos`` lists all undos
  /// with their errors. Nothing cancels or pauses undos, so give an undo that may hang a timeout. See
  /// <doc:UndoingAndCleaningUp>.
  ///
  /// With `alsoIfUncertain`, work that has started and not succeeded is undone as well, because its effect may have
  /// happened: for example, a payment whose answer was lost. The undo can use ``FlowContext/stepIdempotencyKey`` to
  /// find out what to undo. Such work is undone first if it was running when the run failed or was cancelled.
  ///
  /// - Parameters:
  ///   - policy: The number of attempts of an undo, and the delays between them, independent of the run's retry budget;
  ///     `nil` for one.
  ///   - timeout: The time after which an attempt is cancelled and fails; `nil` for no limit.
  ///   - alsoIfUncertain: `true` to run the undo also if an attempt was started, and the last one failed or was cut
  ///     off.
  ///   - body: A closure that undoes the work. Its context has ``FlowContext/item(as:)``, ``FlowContext/output(as:)``
  ///     and ``FlowContext/ending``.
  /// - Returns: The trait.
  public static func undo(
    retry policy: FlowRetryPolicy? = nil, timeout: Duration? = nil, alsoIfUncertain: Bool = false,
    _ body: @escaping @Sendable (_ context: FlowContext) async throws -> Void
  ) -> Self {
    Self { $0.undo(UndoPlan(work: .closure(body), retry: policy, timeout: timeout, isForUncertain: alsoIfUncertain)) }
  }

  /// Undoes what the step has done with an operation, if the run fails or is cancelled later.
  ///
  /// This works like ``undo(retry:timeout:alsoIfUncertain:_:)``. In a group, the operation finds the item under the key
  /// of its own primary input, and the output of the item's work under the key of its own primary output.
  ///
  /// - Parameters:
  ///   - policy: The number of attempts of an undo, and the delays between them; `nil` for one.
  ///   - timeout: The time after which an attempt is cancelled and fails; `nil` for no limit.
  ///   - alsoIfUncertain: `true` to run the undo also if an attempt was started, and the last one failed or was cut
  ///     off.
  ///   - operation: An expression that creates the operation, evaluated for each attempt.
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

/// The undo of a step's work, or of the work of a group's item.
package final class UndoPlan: Sendable {
  package enum Work: Sendable {
    case closure(@Sendable (FlowContext) async throws -> Void)
    case operation(@Sendable () throws -> FlowOperation)
  }

  package let work: Work
  package let retry: FlowRetryPolicy?
  package let timeout: Duration?
  /// True if work that has started and not succeeded is undone as well.
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
