import Foundation

// Calls that can't work, with the messages that the compiler shows for them. It uses them only if nothing else fits.

extension Flow {
  /// A closure step without a name.
  @available(*, unavailable, message: "A closure step needs a name: add(\"greet\") { context in … }.")
  @discardableResult
  public func add(_ body: @escaping @Sendable (FlowContext) async throws -> Void) -> Flow { self }

  /// A name without the step's work.
  @available(
    *, unavailable, message: "A name alone is no step; write the work after it: add(\"greet\") { context in … }."
  )
  @discardableResult
  public func add(_ name: String, _ traits: StepTrait<FlowStep.Repeatable>...) -> Flow { self }

  /// A class in place of the expression that makes an operation.
  @available(*, unavailable, message: "Write the expression that makes the operation: add(LoginOp()).")
  @discardableResult
  public func add<Made: FlowOperation>(_ type: Made.Type, _ traits: StepTrait<FlowStep.Repeatable>...) -> Flow { self }

  /// A class in place of an operation object.
  @available(
    *, unavailable, message: "Write the expression that makes the operation, without the label: add(LoginOp())."
  )
  @discardableResult
  public func add<Made: FlowOperation>(operation: Made.Type, _ traits: StepTrait<FlowStep.Once>...) -> Flow { self }

  /// A flow without its label.
  @available(*, unavailable, message: "Write the label: add(flow: prepare).")
  @discardableResult
  public func add(_ flow: Flow, _ traits: StepTrait<FlowStep.Composite>...) -> Flow { self }

  /// Branches on a key whose values can't be compared, or for values of another type.
  @available(
    *, unavailable,
    message: "Cases compare values: the key's type must be Hashable, and each when(_:) needs such a value."
  )
  @discardableResult
  public func cases<Value>(
    on key: FlowKey<Value>, _ traits: StepTrait<FlowStep.Composite>..., branches build: (FlowCases<String>) -> Void
  ) -> Flow { self }

  /// A group over a key whose value isn't an array.
  @available(*, unavailable, message: "forEach needs a key of an array: a FlowKey<[Item]>.")
  @discardableResult
  public func forEach<Value, Output: Sendable>(
    _ input: FlowKey<Value>, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Value, FlowContext) async throws -> Output
  ) -> Flow { self }

  /// A sequence without its label.
  @available(
    *, unavailable, message: "Write the label before a sequence: forEach(in: numbers) { number, context in … }."
  )
  @discardableResult
  public func forEach<Items: Sequence, Output: Sendable>(
    _ items: Items, into output: FlowKey<[Output]>? = nil, width: Int = 3,
    tolerating tolerance: FlowTolerance = .none, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    run body: @escaping @Sendable (Items.Element, FlowContext) async throws -> Output
  ) -> Flow { self }

  /// Operations whose outputs go nowhere.
  @available(*, unavailable, message: "Say where the outputs go: forEach(.photos, into: .links, run: UploadOp.self).")
  @discardableResult
  public func forEach<Item>(
    _ input: FlowKey<[Item]>, width: Int = 3, tolerating tolerance: FlowTolerance = .none,
    run operation: any FlowOperationCreator.Type, _ traits: StepTrait<FlowStep.Grouped<any Sendable>>...
  ) -> Flow { self }

  /// Traits before the width or the tolerance of a group.
  @available(
    *, unavailable,
    message: "Write the traits after width: and tolerating:, as in forEach(.photos, width: 3, .retry(.attempts(2)))."
  )
  @discardableResult
  public func forEach<Item, Output: Sendable>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>? = nil, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none,
    run body: @escaping @Sendable (Item, FlowContext) async throws -> Output
  ) -> Flow { self }

  /// Traits before the operation of a group instead of after it.
  @available(
    *, unavailable,
    message: "Write the traits last, as in forEach(.photos, into: .links, width: 3, run: UploadOp.self, .retry(…))."
  )
  @discardableResult
  public func forEach<Item, Output>(
    _ input: FlowKey<[Item]>, into output: FlowKey<[Output]>, _ traits: StepTrait<FlowStep.Grouped<Output>>...,
    width: Int = 3, tolerating tolerance: FlowTolerance = .none, run operation: any FlowOperationCreator.Type
  ) -> Flow { self }

  /// Work in place of the steps that run at the end.
  @available(*, unavailable, message: "The closure adds steps to $0: always { $0.add(\"clean up\") { context in … } }.")
  @discardableResult
  public func always(_ name: String = "Always", _ work: () async throws -> Void) -> Flow { self }
}

extension FlowBranches {
  /// Work in place of a branch's steps.
  @available(
    *, unavailable, message: "The closure adds steps to $0: branch(\"scan\") { $0.add(\"scan\") { context in … } }."
  )
  @discardableResult
  public func branch(_ name: String, _ work: () async throws -> Void) -> FlowBranches { self }
}

extension FlowCases {
  /// Work in place of a branch's steps.
  @available(
    *, unavailable, message: "The closure adds steps to $0: when(\"web\") { $0.add(\"resize\") { context in … } }."
  )
  @discardableResult
  public func when(_ value: Value, _ work: () async throws -> Void) -> FlowCases { self }

  /// Work in place of a branch's steps.
  @available(
    *, unavailable,
    message: "The closure adds steps to $0: otherwise { $0.add(\"resize\") { context in … } }, or $0.addNothing()."
  )
  @discardableResult
  public func otherwise(_ work: () async throws -> Void) -> FlowCases { self }
}

extension StepTrait {
  /// Names in place of the keys that a step reads.
  @available(
    *, unavailable,
    message:
      "A key has its value's type: .reads(.user), with static var user: FlowKey<String> { \"user\" } declared once."
  )
  public static func reads(_ name: String, _ others: String...) -> Self { Self { _ in } }

  /// Names in place of the keys that a step writes.
  @available(
    *, unavailable,
    message:
      "A key has its value's type: .writes(.user), with static var user: FlowKey<String> { \"user\" } declared once."
  )
  public static func writes(_ name: String, _ others: String...) -> Self { Self { _ in } }
}

// Calls of methods of other modules, with the message that the compiler shows if these modules aren't imported. If they
// are, their own methods are preferred, because these are unavailable.

extension Flow {
  /// A wait for a time without the module that has it.
  @available(*, unavailable, message: "wait(_:) belongs to durable runs: import OperationFlowDurable.")
  @discardableResult
  public func wait(_ time: Duration, named name: String? = nil, _ traits: StepTrait<FlowStep.Repeatable>...) -> Flow {
    self
  }

  /// A wait for a date, or for the date of a key, without the module that has it.
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

  /// A wait for a signal after which the run continues in any case, without the module that has it.
  @available(
    *, unavailable,
    message: "wait(for:) belongs to durable runs: import OperationFlowDurable; it takes a FlowSignal."
  )
  @discardableResult
  public func wait<Signal>(
    for signal: Signal, continuingAfter time: Duration, named name: String? = nil,
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
