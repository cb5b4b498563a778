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
public final class FlowOutput<Value: Sendable>: @unchecked Sendable {
  // Invariant: the variables are read and written only under the object's shared lock, and no value is freed under it.
  private var name: String?
  private var value: Value?
  let isSensitive: Bool
  private let isStored: Bool

  /// Declares an output that is named after its property.
  public init() {
    PortTally.add()
    isSensitive = false
    isStored = true
  }

  /// Declares an output.
  ///
  /// - Parameter key: The key to write.
  public init(_ key: FlowKey<Value>) {
    PortTally.add()
    isSensitive = key.isSensitive
    isStored = key.isStored
    name = key.name
  }

  /// An optional of the value; its name explains, in the compiler's error, why a property can't have the value's own
  /// type.
  public typealias NilUntilAssigned = Value?

  /// The assigned value; `nil` until one is assigned.
  public var wrappedValue: NilUntilAssigned {
    get { SharedLocks.all.withLock(of: self) { value } }
    set {
      // The old value is freed outside the lock.
      let old = SharedLocks.all.withLock(of: self) {
        defer { value = newValue }
        return value
      }
      withExtendedLifetime(old) {}
    }
  }
}

extension FlowOutput: DeclaredOutput {
  static func declared(at address: UnsafeRawPointer) -> FoundPort? { .output(address.load(as: Self.self)) }

  var port: OutputPort {
    OutputPort(name: portName, type: Value.self, isSensitive: isSensitive, isStored: isStored)
  }

  var portName: String { SharedLocks.all.withLock(of: self) { name } ?? "" }

  var assigned: (any Sendable)? { wrappedValue }

  func adopt(propertyName: String) {
    SharedLocks.all.withLock(of: self) { if name == nil { name = propertyName } }
  }
}
