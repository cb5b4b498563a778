/// Declares a value that an operation writes into the data bucket, checked before the flow runs.
///
/// ```swift
/// @FlowOutput(.token) var token  // a String?, nil until it is assigned
/// @FlowOutput var count: Int?  // named by the property
/// ```
/// The assigned value is written if the operation succeeds, and not if it fails. A group's item doesn't write it to the
/// data bucket but keeps it as the item's output. If a step succeeds without assigning it, the record gets a warning,
/// and the error of a later step that needs the value names that step.
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

  /// An optional of the value; its name explains, in the compiler's error, why a property has to be optional.
  public typealias NilUntilAssigned = Value?

  /// The assigned value; `nil` until one is assigned.
  public var wrappedValue: NilUntilAssigned {
    @inlinable get { unboxed(held, as: Value.self) ?? assignedByCast }
    @inlinable set {
      if let newValue { assign(newValue) } else { assign(nothing) }
    }
  }

  @usableFromInline var held: any Sendable { state.withLock { $0.value } }

  /// The same, if types can't be compared, or if there is none.
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

/// It isn't within the output, which is generic: the runtime would look up its type each time that one is made.
private struct OutputState: Sendable {
  /// In a box that holds exactly the output's type, because the type of an optional would be looked up at each access.
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

  // It is written, and never read by its operation's run.
  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) -> String? { nil }
  func retire(_ value: (any Sendable)?) {}
}
