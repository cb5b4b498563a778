import Foundation
import OperationFlow

/// Runs a progression as a step of a flow, from a step in the data bucket to its result in the data bucket.
///
/// ```swift
/// Flow("Publish")
///   .set(.draft, to: .draft("to be or not to be"))
///   .add(ProgressionOperation(from: .draft, into: .link))
/// ```
/// Every step that is reached, including the first and the last, is an event with the step's name,
/// `FlowEvent.Kind.progressed(step:)`, and a line of the summary. A step's value is never shown, and a progression in
/// the data bucket is shown by its step's name as well. Both keys are declared, so `validate(with:)` checks them.
/// `flow.progress("publish", from: .draft, into: .link)` adds the same operation under a name of your own. Validation
/// assumes that an operation without an output key may write anything: add it with `.writesNothing`. `progress` does
/// that itself if the first step is in the data bucket.
///
/// The steps run in a task of the operation, any number of them with constant stack. Cancelling the operation stops the
/// progression between two steps, and cancels the task, which asynchronous steps can check. The operation waits for a
/// pending callback. It fails with the error that a step throws.
///
/// With a ``ProgressionStore``, every step, including the first, is saved when it is reached, before it is run. A run
/// continues from the step that was saved last, and then ignores the step to begin with; an input key must have a value
/// anyway. The steps before the saved one are not run again. An interrupted step is, so a step may run more than once.
/// A result is written into the data bucket, and then the store is cleared. After a failure or a cancellation, the
/// store retains the step. A step that can't be read fails the operation with `unreadableStep`, and one that can't be
/// loaded, saved or cleared with `storeFailed`; the stored step is not changed.
public final class ProgressionOperation<Step: Progression & Sendable>: FlowOperation, @unchecked Sendable
where Step.Result: Sendable {
  // Invariant: nothing changes after the initializer; the ports are thread-safe.
  private let input: FlowInput<Step>?
  private let output: FlowOutput<Step.Result>?
  private let outputKey: FlowKey<Step.Result>?
  private let makeStart: @Sendable (ProgressionOperation) throws -> Step
  private let stored: StoredSteps<Step>?

  init(
    input: FlowKey<Step>?, output: FlowKey<Step.Result>?, stored: StoredSteps<Step>? = nil,
    start: @escaping @Sendable (ProgressionOperation) throws -> Step
  ) {
    self.input = input.map { FlowInput($0) }
    self.output = output.map { FlowOutput($0) }
    outputKey = output
    makeStart = start
    self.stored = stored
  }

  convenience init(input: FlowKey<Step>, output: FlowKey<Step.Result>?, stored: StoredSteps<Step>? = nil) {
    self.init(input: input, output: output, stored: stored) { operation in try operation.require(input) }
  }

  // MARK: Creating an operation

  /// Creates an operation that runs the progression in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the step to begin with.
  ///   - output: The key under which the result is written; `nil` to discard it.
  public convenience init(from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil) {
    self.init(input: input, output: output)
  }

  /// Creates an operation that runs the progression that a closure creates from the data bucket.
  ///
  /// - Parameters:
  ///   - output: The key under which the result is written; `nil` to discard it.
  ///   - start: A closure that returns the step to begin with, when the operation runs. It reads the bucket through the
  ///     operation, such as `{ Publication.draft(try $0.require(.text)) }`; these reads can't be checked before the
  ///     run.
  public convenience init(
    into output: FlowKey<Step.Result>? = nil, start: @escaping @Sendable (ProgressionOperation) throws -> Step
  ) {
    self.init(input: nil, output: output, start: start)
  }

  /// Creates an operation that runs the progression in the data bucket, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - input: The key of the step to begin with if none is stored.
  ///   - output: The key under which the result is written; `nil` to discard it.
  ///   - store: The store of the steps.
  ///   - key: The key under which the progression is stored: a name for this one piece of work, which only one run at a
  ///     time may use.
  public convenience init(
    from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil, store: any ProgressionStore, as key: String
  ) where Step: Codable {
    self.init(input: input, output: output, stored: StoredSteps(store, key: key))
  }

  /// Creates an operation that runs the progression that a closure creates from the data bucket, and stores each of its
  /// steps.
  ///
  /// - Parameters:
  ///   - output: The key under which the result is written; `nil` to discard it.
  ///   - store: The store of the steps.
  ///   - key: The key under which the progression is stored: a name for this one piece of work, which only one run at a
  ///     time may use.
  ///   - start: A closure that returns the step to begin with if none is stored.
  public convenience init(
    into output: FlowKey<Step.Result>? = nil, store: any ProgressionStore, as key: String,
    start: @escaping @Sendable (ProgressionOperation) throws -> Step
  ) where Step: Codable {
    self.init(input: nil, output: output, stored: StoredSteps(store, key: key), start: start)
  }

  // MARK: Running

  /// Runs the progression; the flow calls it.
  ///
  /// - Throws: The error that a step throws, a `FlowError` of the store, or `CancellationError`.
  public override func run() async throws {
    let runner = ProgressionRunner(stored: stored) { self.record($0) }
    try await runner.run(from: { try makeStart(self) }) { result in
      if let outputKey { setData(name: outputKey, value: result) }
    }
  }
}
