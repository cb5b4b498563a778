import Foundation

// Calls of what other modules add, with the message that the compiler shows if these aren't imported. Where they are, their
// own methods are preferred, because these are unavailable.

extension Flow {
  /// A wait for a time without the module that has it.
  @available(*, unavailable, message: "wait(_:) belongs to durable runs: import OperationFlowDurable.")
  @discardableResult
  public func wait(_ time: Duration, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...) -> Flow {
    self
  }

  /// A wait for a date, or for that of a key, without the module that has it.
  @available(
    *, unavailable,
    message: "wait(until:) belongs to durable runs: import OperationFlowDurable; it takes a Date, or a FlowKey<Date>."
  )
  @discardableResult
  public func wait<Moment>(
    until date: Moment, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow { self }

  /// A wait for a signal without the module that has it.
  @available(
    *, unavailable,
    message: "wait(for:) belongs to durable runs: import OperationFlowDurable; it takes a FlowSignal."
  )
  @discardableResult
  public func wait<Signal>(
    for signal: Signal, timeout: Duration? = nil, named name: String? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow { self }

  /// A wait for a signal for some time without the module that has it.
  @available(
    *, unavailable,
    message: "wait(for:) belongs to durable runs: import OperationFlowDurable; it takes a FlowSignal."
  )
  @discardableResult
  public func wait<Signal>(
    for signal: Signal, goingOnAfter time: Duration, named name: String? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow { self }

  /// A durable run without the module that has it.
  @available(
    *, unavailable, message: "run(id:in:) belongs to durable runs: import OperationFlowDurable; it takes a FlowStore."
  )
  public func run<Store>(id: String, in store: Store, with data: [String: any Sendable] = [:]) async -> FlowOutcome {
    await run(with: data)
  }
}
