/// The names of types, each looked up only once, because asking the runtime costs more than starting an operation.
package enum TypeName {
  private static let cache = Locked([ObjectIdentifier: String]())

  /// The type's name without its module, as `String(describing:)` gives it.
  package static func of(_ type: Any.Type) -> String {
    let id = ObjectIdentifier(type)
    if let known = cache.withLock({ $0[id] }) { return known }
    let name = String(describing: type)
    cache.withLock { $0[id] = name }
    return name
  }
}
