import Foundation
import OperationFlow

/// Runs a progression as a step of a flow, from a step in the data bucket to its result in the data bucket.
///
/// ```swift
/// Flow("Publish")
///   .set(.draft, to: .draft("to be or not to be"))
///   .add(ProgressionOperation(from: .draft, into: .link))
/// ```
/// Every step that is reached, the first and the last among them, is an event with the step's name,
/// `FlowEvent.Kind.progressed(step:)`, and a line of the summary. What a step holds is never shown, and a
/// progression in the data bucket is shown by its step's name as well. Both keys are declared, so
/// `validate(with:)` sees them. `flow.progress("publish", from: .draft, into: .link)` adds the same under a name of
/// your own. An operation without an output key may write anything, as far as validation knows: add it with
/// `.writesNothing`, which `progress` does by itself if the first step is in the data bucket.
///
/// The steps run in a task of the operation, however many they are in constant stack. Cancelling stops it between two
/// steps, and cancels the task, so that asynchronous steps hear of it; a callback that is under way is waited for. What a
/// step throws is what the operation fails with.
///
/// With a ``ProgressionStore``, every step is saved when it is reached, before it is run, the first among them. A run
/// goes on from the step that was saved last, and then takes no notice of where it would have begun; an input key has to
/// hold something all the same. A step that was
/// reached is not run again; one that was left in the middle is, so a step may run more than once. Once there is a
/// result it is written into the data bucket, and then the store is cleared; after a failure, and when it is cancelled,
/// it keeps the step. A step that can't be read fails the operation with `unreadableStep`, and one that
/// can't be loaded, saved or cleared with `storeFailed`; what is stored is left as it is.
public final class ProgressionOperation<Step: Progression & Sendable>: FlowOperation, @unchecked Sendable
where Step.Result: Sendable {
  // Invariant: nothing changes after the initializer; the ports look after themselves.
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

  // MARK: Making one

  /// Runs the progression that is in the data bucket.
  ///
  /// - Parameters:
  ///   - input: The key of the step to begin with.
  ///   - output: The key under which the result is written; `nil` to discard it.
  public convenience init(from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil) {
    self.init(input: input, output: output)
  }

  /// Runs the progression that a closure makes of what is in the data bucket.
  ///
  /// - Parameters:
  ///   - output: The key under which the result is written; `nil` to discard it.
  ///   - start: Makes the step to begin with, when the operation runs. It reads the bucket through the operation, such as
  ///     `{ Publication.draft(try $0.require(.text)) }`; what it reads can't be checked before the run.
  public convenience init(
    into output: FlowKey<Step.Result>? = nil, start: @escaping @Sendable (ProgressionOperation) throws -> Step
  ) {
    self.init(input: nil, output: output, start: start)
  }

  /// Runs the progression that is in the data bucket, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - input: The key of the step to begin with if none is stored.
  ///   - output: The key under which the result is written; `nil` to discard it.
  ///   - store: Keeps the steps.
  ///   - key: What it is stored as: a name for this one piece of work, which only one run at a time may use.
  public convenience init(
    from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil, store: any ProgressionStore, as key: String
  ) where Step: Codable {
    self.init(input: input, output: output, stored: StoredSteps(store, key: key))
  }

  /// Runs the progression that a closure makes of what is in the data bucket, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - output: The key under which the result is written; `nil` to discard it.
  ///   - store: Keeps the steps.
  ///   - key: What it is stored as: a name for this one piece of work, which only one run at a time may use.
  ///   - start: Makes the step to begin with if none is stored.
  public convenience init(
    into output: FlowKey<Step.Result>? = nil, store: any ProgressionStore, as key: String,
    start: @escaping @Sendable (ProgressionOperation) throws -> Step
  ) where Step: Codable {
    self.init(input: nil, output: output, stored: StoredSteps(store, key: key), start: start)
  }

  // MARK: What it does

  /// Runs the progression; the flow calls it.
  ///
  /// - Throws: What a step throws, `FlowError` of the store, or `CancellationError`.
  public override func run() async throws {
    let runner = ProgressionRunner(stored: stored) { self.record($0) }
    try await runner.run(from: { try makeStart(self) }) { result in
      if let outputKey { setData(name: outputKey, value: result) }
    }
  }
}
