import Foundation

/// The ports that the operations of a class declare, with those of its superclasses first.
struct DeclaredPorts: Sendable {
  var inputs: [PortProperty] = []
  var outputs: [PortProperty] = []

  init(_ properties: [StoredProperties.Property]) {
    for property in properties.compactMap(PortProperty.init) {
      if property.type.isInput { inputs.append(property) } else { outputs.append(property) }
    }
  }

  /// Returns the number of ports of an operation, in which an optional port may be missing.
  func count(in operation: AnyObject) -> Int { (inputs + outputs).count { $0.port(of: operation) != nil } }
}

struct PortProperty: Sendable {
  let name: String
  private let offset: Int
  fileprivate let type: any (PossiblePort & SendableMetatype).Type

  init?(_ property: StoredProperties.Property) {
    guard property.isStrong, let type = property.type as? any (PossiblePort & SendableMetatype).Type else { return nil }
    // A wrapped property is stored under its name with an underscore before it.
    name = property.name.hasPrefix("_") ? String(property.name.dropFirst()) : property.name
    offset = property.offset
    self.type = type
  }

  /// Returns the port of one operation; it is set when the operation is created, and never replaced.
  private func stored(in operation: AnyObject) -> (any DeclaredPort)? {
    withExtendedLifetime(operation) {
      type.declared(at: UnsafeRawPointer(Unmanaged.passUnretained(operation).toOpaque()) + offset)
    }
  }

  /// Returns the port of one operation, with the name that it reads or writes; `nil` if the operation doesn't have it.
  func port(of operation: AnyObject) -> (port: any DeclaredPort, name: String)? {
    guard let port = stored(in: operation) else { return nil }
    return (port, port.ownName ?? name)
  }
}

extension [PortProperty] {
  func found(in operation: AnyObject) -> some Sequence<(port: any DeclaredPort, name: String)> {
    lazy.compactMap { $0.port(of: operation) }
  }

  func firstName(in operation: AnyObject) -> String { found(in: operation).first { _ in true }?.name ?? "" }
}

/// Counts the ports that a thread has created since it last created an operation; they belong to that operation.
///
/// An operation whose class was built without reflection metadata can't find its ports, but it can detect that there
/// are some. Each thread has its own count, so that it needs no lock.
enum PortCounter {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static func add() {
    pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: Int(bitPattern: pthread_getspecific(key)) + 1))
  }

  static func take() -> Int {
    let count = Int(bitPattern: pthread_getspecific(key))
    if count > 0 { pthread_setspecific(key, nil) }
    return count
  }
}
