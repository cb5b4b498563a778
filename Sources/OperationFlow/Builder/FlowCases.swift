/// Collects the branches of ``Flow/cases(on:_:branches:)``.
public final class FlowCases<Value: Hashable & Sendable>: Sendable {
  private let key: FlowKey<Value>
  let branches = Locked([(condition: FlowCase, flow: Flow)]())

  init(key: FlowKey<Value>) { self.key = key }

  /// Adds a branch that is taken when the key equals a value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - build: Adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func when(_ value: Value, _ build: (Flow) -> Void) -> FlowCases {
    add(FlowCase(key: key, values: [value]), build)
  }

  /// Adds a branch that is taken when the key equals one of several values.
  ///
  /// - Parameters:
  ///   - value: One of the values.
  ///   - second: Another one.
  ///   - others: More values.
  ///   - build: Adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func when(_ value: Value, _ second: Value, _ others: Value..., steps build: (Flow) -> Void) -> FlowCases {
    add(FlowCase(key: key, values: [value, second] + others), build)
  }

  /// Adds the branch that is taken when no other branch matches, wherever you add it among them.
  ///
  /// - Parameter build: Adds the branch's steps.
  /// - Returns: The cases.
  @discardableResult
  public func otherwise(_ build: (Flow) -> Void) -> FlowCases {
    add(.otherwise, build)
  }

  private func add(_ condition: FlowCase, _ build: (Flow) -> Void) -> FlowCases {
    let flow = Flow(condition.text)
    build(flow)
    branches.withLock { $0.append((condition, flow)) }
    return self
  }
}
