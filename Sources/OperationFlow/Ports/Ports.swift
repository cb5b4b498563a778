/// A value that a step reads or writes, declared before the run.
package final class StepPort: Sendable {
  package let name: String
  /// The type of the value; `nil` for reading an array of any type, or for writing an unknown type.
  package let type: Any.Type?
  /// True if the step fails without the value; false for a value that the step writes.
  package let isRequired: Bool
  package let isSensitive: Bool
  let accepts: @Sendable (any Sendable) -> Bool

  init<Value>(reading key: FlowKey<Value>, isRequired: Bool = true) {
    name = key.name
    type = Value.self
    self.isRequired = isRequired
    isSensitive = key.isSensitive
    accepts = { isBoxed($0, as: Value.self) || StepPort.isReadable($0, as: Value.self) }
  }

  /// A separate function, because the check looks up the type of an optional.
  private static func isReadable<Value>(_ value: any Sendable, as type: Value.Type) -> Bool {
    value is Value || restored(value, as: type) != nil
  }

  init(readingArray name: String, isSensitive: Bool) {
    self.name = name
    type = nil
    isRequired = true
    self.isSensitive = isSensitive
    accepts = { $0 is any ArrayElements || $0 is [Any] }
  }

  init(writing name: String, type: Any.Type?, isSensitive: Bool) {
    self.name = name
    self.type = type
    isRequired = false
    self.isSensitive = isSensitive
    accepts = { _ in true }
  }

  convenience init<Value>(writing key: FlowKey<Value>) {
    self.init(writing: key.name, type: Value.self, isSensitive: key.isSensitive)
  }
}

/// A port that an operation declares as a property: found by reflection, and connected to the operation's run.
protocol DeclaredPort: PossiblePort, AnyObject, Sendable {
  /// The port's own name; `nil` if it is named after its property.
  var ownName: String? { get }
  var isSensitive: Bool { get }
  /// Returns the declaration of the port under the name that it reads or writes.
  func port(named name: String) -> StepPort
  /// The value of the port, in a box; `NoValue` if there is none.
  var held: any Sendable { get }

  // The following is done only by inputs.

  /// Stores the value that the operation will read; returns a warning, or throws if it needs a value that it can't use.
  ///
  /// `isSensitive` is called only for the text of an error.
  func resolve(_ value: (any Sendable)?, named name: String, isSensitive: () -> Bool) throws(FlowError) -> String?
  /// Prepares the input of an operation that never starts: it has this value if the type fits, or an empty one.
  func retire(_ value: (any Sendable)?)
}

/// The type of a property that is a port or may be one: an operation that sometimes needs no port has an optional.
protocol PossiblePort {
  static var isInput: Bool { get }
  static func declared(at address: UnsafeRawPointer) -> (any DeclaredPort)?
}

extension Optional: PossiblePort where Wrapped: DeclaredPort {
  static var isInput: Bool { Wrapped.isInput }

  static func declared(at address: UnsafeRawPointer) -> (any DeclaredPort)? {
    // An optional object is stored as the object, or as nothing.
    address.load(as: Self.self) == nil ? nil : Wrapped.declared(at: address)
  }
}

/// The keys that a step's traits declare: what the step reads and writes besides the ports of its operation or group.
package final class DeclaredKeys: Sendable {
  /// The values that the step may read; `nil` for all.
  package let reads: [StepPort]?
  /// The values that the step may write; `nil` for all.
  package let writes: [StepPort]?
  /// The names of a group's own arrays, which its closure may use as well.
  private let groupNames: Set<String>

  init(reads: [StepPort]? = nil, writes: [StepPort]? = nil, groupNames: Set<String> = []) {
    self.reads = reads
    self.writes = writes
    self.groupNames = groupNames
  }

  /// Returns these keys combined with others, and with a group's arrays; `nil` declares nothing about reading or
  /// writing.
  func adding(
    reads more: [StepPort]? = nil, writes others: [StepPort]? = nil, ofGroup names: [String?] = []
  ) -> DeclaredKeys {
    DeclaredKeys(
      reads: more.map { (reads ?? []) + $0 } ?? reads, writes: others.map { (writes ?? []) + $0 } ?? writes,
      groupNames: groupNames.union(names.compactMap(\.self)))
  }

  /// The keys of a closure, which writes nothing if it declares only reads.
  var ofClosure: DeclaredKeys { reads != nil && writes == nil ? adding(writes: []) : self }

  /// Returns true if the step declares that it reads or writes the name: it may read what it writes.
  func allowsReading(_ name: String) -> Bool {
    reads?.contains { $0.name == name } ?? true || isWritten(name)
  }

  func allowsWriting(_ name: String) -> Bool { writes == nil || isWritten(name) }

  private func isWritten(_ name: String) -> Bool {
    writes?.contains { $0.name == name } ?? false || groupNames.contains(name)
  }
}

/// Decides, from the types alone, if a value of one type can be read as another.
enum TypeFit {
  /// Returns true only if no value of `written` can be read as `read`; a fit that depends on the contents is possible.
  static func isImpossible(_ written: Any.Type, as read: Any.Type) -> Bool {
    if written == read { return false }
    let written = stored(written)
    let read = stored(read)
    guard written != read, isPlainValue(written), isPlainValue(read) else { return false }
    if let left = collection(written), let right = collection(read) { return left != right }
    return true
  }

  /// Returns true if the type alone decides how its values can be read, unlike a class, a protocol or a collection.
  static func isDecidedByType(_ type: Any.Type) -> Bool { isPlainValue(type) && collection(type) == nil }

  /// Returns the type as a bucket stores it: optionals are unwrapped.
  private static func stored(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalValue.Type).map { stored($0.wrappedType) } ?? type
  }

  /// Returns a number for the kind of collection that a type is; `nil` if it isn't one.
  private static func collection(_ type: Any.Type) -> Int? {
    [type is any ArrayElements.Type, type is any DictionaryType.Type, type is any SetType.Type].firstIndex(of: true)
  }
}

private protocol DictionaryType {}
extension Dictionary: DictionaryType {}
private protocol SetType {}
extension Set: SetType {}
