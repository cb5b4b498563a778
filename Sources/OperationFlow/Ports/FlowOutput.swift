/// Declares a value that an operation writes into the data bucket, checked before the flow runs.
///
/// ```swift
/// @FlowOutput(.token) var token  // a String?, nil until it is assigned
/// @FlowOutput var count: Int?  // named by the property
/// ```
/// The assigned value is written if the operation succeeds, and not if it fails. In a group, it isn't written to the
/// data bucket, but becomes the item's output. If a step succeeds without assigning it, the record gets a warning, and
/// the error of a later step that needs the value contains that step's name.
///
/// The property is always optional, because it has no value at first; its name is chosen as for ``FlowInput``.
@propertyWrapper
public final class FlowOutput<Value: Sendable>: Sendable {
  private let state = Locked(OutputState())
  let ownName: String?
  let isSensitive: Bool

  /// Declares an output that is named after its property.
  public init() {
    PortCounter.add()
    isSensitive = false
    ownName = nil
  }

  /// Declares an output.
  ///
  /// - Parameter key: The key to write.
  public init(_ key: FlowKey<Value>) {
    PortCounter.add()
    isSensitive = key.isSensitive
    ownName = key.name
  }

  /// An optional of the value; in the compiler's errors, its name explains why a property has to be optional.
  public typealias NilUntilAssigned = Value?

  /// The assigned value; `nil` until one is assigned.
  public var wrappedValue: NilUntilAssigned {
    @inlinable get { unboxed(held, as: Value.self) ?? assignedByCast }
    @inlinable set {
      if let newValue { assign(newValue) } else { assign(nothing) }
    }
  }

  @usableFromInline var held: any Sendable { state.withLock { $0.value } }

  /// The assigned value if its type can't be compared without a cast; `nil` if there is none.
  @usableFromInline var assignedByCast: Value? {
    let found = state.withLock { $0 }
    return found.hasValue ? found.value as? Value : nil
  }

  @usableFromInline var nothing: any Sendable { NoValue() }

  @usableFromInline
  func assign(_ newValue: any Sendable) {
    let new = OutputState(value: newValue, hasValue: !isBoxed(newValue, as: NoValue.self))
    // The old value is freed outside the lock.
    let old = state.withLock { exchange(&$0, with: new) }
    withExtendedLifetime(old) {}
  }
}

/// The state of an output, outside of the generic class: there, the runtime would look up its type for each new output.
private struct OutputState: Sendable {
  /// The value in a box of exactly the output's type, because an optional's type would be looked up at each access.
  var value: any Sendable = NoValue()
  var hasValue = false
}

extension FlowOutput: DeclaredPort {
  static func declared(at address: UnsafeRawPointer) -> (any DeclaredPort)? {
    address.assumingMemoryBound(to: FlowOutput<Value>.self).pointee
  }

  static var isInput: Bool { false }

  func port(named name: String) -> StepPort {
    StepPort(writing: name, type: Value.self, isSensitive: isSensitive)
  }

  // An output is only written; its operation's run never reads it.
  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) -> String? { nil }
  func retire(_ value: (any Sendable)?) {}
}
