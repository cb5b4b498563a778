import OperationFlow

extension Flow {
  /// Adds a step that runs the progression in the data bucket to its result.
  ///
  /// The step is a ``ProgressionOperation`` with a name.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - input: The key of the step to begin with.
  ///   - output: The key under which the result is written; `nil` if it isn't needed.
  ///   - traits: The step's weight in the progress, and the keys that it reads and writes besides `input` and `output`.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Sendable>(
    _ name: String, from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil,
    _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow where Step.Result: Sendable {
    add(
      ProgressionOperation(from: input, into: output), .joined(.named(name), .writesNothing, with: traits))
  }

  /// Adds a step that runs the progression that a closure creates from the data bucket.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - output: The key under which the result is written; `nil` if it isn't needed.
  ///   - traits: The step's weight in the progress, and the keys that `start` reads and writes.
  ///   - start: A closure that returns the step to begin with, when the run reaches this step. It reads the bucket
  ///     through the operation, such as `{ Publication.draft(try $0.require(.text)) }`. Declare the keys that it reads
  ///     with `.reads`, so that they are checked before the run.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Sendable>(
    _ name: String, into output: FlowKey<Step.Result>? = nil, _ traits: StepTrait<FlowStep.Repeatable>...,
    from start: @escaping @Sendable (ProgressionOperation<Step>) throws -> Step
  ) -> Flow where Step.Result: Sendable {
    add(
      ProgressionOperation(into: output, start: start), .joined(.named(name), with: traits))
  }

  /// Adds a step that runs the progression in the data bucket to its result, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - input: The key of the step to begin with, if none is stored.
  ///   - output: The key under which the result is written; `nil` if it isn't needed.
  ///   - store: The store of the steps, as ``ProgressionOperation`` describes.
  ///   - key: The key under which the progression is stored: a name for this one piece of work, which only one run at a
  ///     time may use.
  ///   - traits: The step's weight in the progress, and the keys that it reads and writes besides `input` and `output`.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Codable & Sendable>(
    _ name: String, from input: FlowKey<Step>, into output: FlowKey<Step.Result>? = nil,
    store: any ProgressionStore, as key: String, _ traits: StepTrait<FlowStep.Repeatable>...
  ) -> Flow where Step.Result: Sendable {
    add(
      ProgressionOperation(from: input, into: output, store: store, as: key),
      .joined(.named(name), .writesNothing, with: traits))
  }

  /// Adds a step that runs the progression that a closure creates, and stores each of its steps.
  ///
  /// - Parameters:
  ///   - name: The name that summaries show.
  ///   - output: The key under which the result is written; `nil` if it isn't needed.
  ///   - store: The store of the steps, as ``ProgressionOperation`` describes.
  ///   - key: The key under which the progression is stored: a name for this one piece of work, which only one run at a
  ///     time may use.
  ///   - traits: The step's weight in the progress, and the keys that `start` reads and writes.
  ///   - start: A closure that returns the step to begin with, if none is stored.
  /// - Returns: The flow.
  @discardableResult
  public func progress<Step: Progression & Codable & Sendable>(
    _ name: String, into output: FlowKey<Step.Result>? = nil, store: any ProgressionStore, as key: String,
    _ traits: StepTrait<FlowStep.Repeatable>...,
    from start: @escaping @Sendable (ProgressionOperation<Step>) throws -> Step
  ) -> Flow where Step.Result: Sendable {
    add(
      ProgressionOperation(into: output, store: store, as: key, start: start), .joined(.named(name), with: traits))
  }
}

extension StepTrait {
  /// Combines a method's own traits with those passed to it, because variadic parameters can't be forwarded.
  static func joined(_ own: Self..., with given: [Self]) -> Self {
    Self { options in
      for trait in own + given { trait.change(&options) }
    }
  }
}
