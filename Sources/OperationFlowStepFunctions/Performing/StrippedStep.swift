import OperationFlow

/// A step's work without its traits for which the other engine is responsible, such as attempts and conditions.
struct StrippedStep {
  /// The step; `nil` if it has no work of this kind.
  let step: Blueprint.Step?

  init(_ step: Blueprint.Step, _ task: RunTask, _ place: StepPlace) {
    var stripped = step
    stripped.options = nil
    stripped.changeOptions { options in
      options.name = step.options?.name
      options.weight = step.weight
      options.declared = step.options?.declared
    }
    switch task.kind {
    case .step:
      switch step.kind {
      case .operation, .closure: self.step = stripped
      case .group, .cases, .flow, .parallel: self.step = nil
      }
    case .item:
      guard case .group(let group) = step.kind, let index = task.item, let item = task.itemValue else {
        self.step = nil
        return
      }
      stripped.kind = Self.kind(of: group, index, item, place)
      self.step = stripped
    case .undo:
      guard let undo = step.options?.undo else {
        self.step = nil
        return
      }
      stripped.changeOptions { $0.declared = nil }
      switch undo.work {
      case .closure(let body):
        stripped.kind = .closure(.async { try await body($0.asItem(task.item)) })
      case .operation(let make):
        stripped.kind = Self.operation(step.name) {
          let operation = try make()
          if let item = task.itemValue { place.give(item, to: operation.primaryInputName()) }
          if let output = task.output { place.give(output, to: operation.primaryOutputName()) }
          return operation
        }
      }
      self.step = stripped
    }
  }

  private static func kind(
    of group: GroupStep, _ index: Int, _ item: any Sendable, _ place: StepPlace
  ) -> Blueprint.Step.Kind {
    switch group.body {
    case .closure(let body):
      .closure(.sync { place.output = try body(item, $0.asItem(index)) })
    case .asyncClosure(let body):
      .closure(.async { place.output = try await body(item, $0.asItem(index)) })
    case .operation(let make):
      operation(group.itemName) {
        let operation = try make(item, index)
        place.outputName = operation.primaryOutputName()
        place.give(item, to: operation.primaryInputName())
        return operation
      }
    }
  }

  /// Returns a step that makes its operation, or fails with the error of `make`.
  private static func operation(
    _ name: String, _ make: @escaping @Sendable () throws -> FlowOperation
  ) -> Blueprint.Step.Kind {
    .operation(
      .factory(type: OperationType.of(FlowOperation.self)) {
        do { return try make() } catch { return UnmadeOperation(error) }
      })
  }
}

/// Replaces an operation that could not be made, and fails with the error.
private final class UnmadeOperation: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state of its own that changes.
  private let error: any Error

  init(_ error: any Error) { self.error = error }

  override func mainLogic() { finishWithError(error: error) }
}

/// The item and the output of a step's run.
final class StepPlace: Sendable {
  private struct State: Sendable {
    var bucket: DataBucket?
    var output: (any Sendable)?
    var outputName: String?
  }

  private let state = Locked(State())

  var bucket: DataBucket? {
    get { state.withLock { $0.bucket } }
    set { state.withLock { $0.bucket = newValue } }
  }

  /// The value that an item's closure has returned.
  var output: (any Sendable)? {
    get { state.withLock { $0.output } }
    set { state.withLock { $0.output = newValue } }
  }

  /// The name under which an item's operation writes its output.
  var outputName: String? {
    get { state.withLock { $0.outputName } }
    set { state.withLock { $0.outputName = newValue } }
  }

  /// Sets a value for an operation without counting that as a write.
  func give(_ value: any Sendable, to name: String) { bucket?.replace(value, named: name) }
}

extension FlowContext {
  /// Returns the context for an item of a group, or itself if there is no index.
  fileprivate func asItem(_ index: Int?) -> FlowContext {
    var context = self
    if let index { context.source.item = index }
    return context
  }
}
