/// The stored properties of a class, those of its superclasses first, without an instance of the class.
///
/// The functions are entry points of the Swift runtime that the standard library's own `Mirror` uses.
enum StoredProperties {
  /// A property with its offset from the beginning of an instance, in bytes.
  ///
  /// `isStrong` is false for a weak or unowned reference.
  typealias Property = (name: String, type: Any.Type, isStrong: Bool, offset: Int)

  static func of(_ type: Any.Type) -> [Property] {
    (0..<fieldCount(type)).map { index in
      var metadata = FieldMetadata()
      let field = fieldType(type, index: index, fieldMetadata: &metadata)
      defer { metadata.free?(metadata.name) }
      let name = metadata.name.map { String(cString: $0) } ?? ""
      return (name, field, metadata.isStrong, fieldOffset(type, index: index))
    }
  }

  /// Returns true if a class, or one between it and an ancestor, has stored properties without metadata.
  static func areHidden(in type: Any.Type, below ancestor: AnyClass) -> Bool {
    var next: AnyClass? = type as? AnyClass
    while let type = next, type != ancestor, let parent = _getSuperclass(type) {
      if fieldCount(type) == fieldCount(parent), instanceSize(type) > instanceSize(parent) { return true }
      next = parent
    }
    return false
  }
}

/// The function that `ManagedBuffer` calls in code that is inlined into other modules, so it can't be removed.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func instanceSize(_: AnyClass) -> Int

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(_: Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<FieldMetadata>) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_: Any.Type, index: Int) -> Int

/// The runtime's description of a property; the memory of its name has to be freed.
private struct FieldMetadata {
  // These are variables, because the runtime writes to them.
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}

/// The names of types, each looked up only once, because the lookup costs more than starting an operation.
package enum TypeName {
  private static let cache = Locked([ObjectIdentifier: String]())

  /// Returns the type's name without its module, as `String(describing:)` does.
  package static func of(_ type: Any.Type) -> String {
    let id = ObjectIdentifier(type)
    if let known = cache.withLock({ $0[id] }) { return known }
    let name = String(describing: type)
    cache.withLock { $0[id] = name }
    return name
  }
}
