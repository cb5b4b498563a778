/// Declares a value that an operation writes into the data bucket, checked before the flow runs.
///
/// ```swift
/// @FlowOutput(.token) var token  // a String?, nil until it is assigned
/// @FlowOutput var count: Int?  // named by the property
/// ```
/// What was assigned is written when the operation succeeds, and not when it fails. A group's item keeps it to itself,
/// as its output.
@propertyWrapper
public final class FlowOutput<Value: Sendable>: Sendable {
  private struct State: Sendable {
    var name: String?
    var value: Value?
  }

  private let state: Locked<State>
  let isSensitive: Bool

  /// Declares an output named by its property.
  public init() {
    isSensitive = false
    state = Locked(State())
  }

  /// Declares an output.
  ///
  /// - Parameter key: The key to write.
  public init(_ key: FlowKey<Value>) {
    isSensitive = key.isSensitive
    state = Locked(State(name: key.name))
  }

  /// What was assigned; `nil` until then.
  public var wrappedValue: Value? {
    get { state.withLock { $0.value } }
    set { state.withLock { $0.value = newValue } }
  }
}

extension FlowOutput: DeclaredOutput {
  var port: OutputPort {
    OutputPort(name: state.withLock { $0.name } ?? "", type: Value.self, isSensitive: isSensitive)
  }

  var assigned: (any Sendable)? { wrappedValue }

  func adopt(propertyName: String) {
    state.withLock { if $0.name == nil { $0.name = propertyName } }
  }
}
