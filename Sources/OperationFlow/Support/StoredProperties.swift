/// The stored properties of a class, those of its superclasses first, without an instance of it.
///
/// These are the entry points of the Swift runtime that the standard library's own `Mirror` stands on.
enum StoredProperties {
  struct Property {
    let name: String
    let type: Any.Type
    /// Whether what lies there is the value itself, and no weak or unowned reference to it.
    let isStrong: Bool
    /// Where it lies in an instance, in bytes from its beginning.
    let offset: Int
  }

  static func of(_ type: Any.Type) -> [Property] {
    (0..<fieldCount(type)).map { index in
      var metadata = FieldMetadata()
      let type = (field: fieldType(type, index: index, fieldMetadata: &metadata), owner: type)
      defer { metadata.free?(metadata.name) }
      return Property(
        name: metadata.name.map { String(cString: $0) } ?? "", type: type.field, isStrong: metadata.isStrong,
        offset: fieldOffset(type.owner, index: index))
    }
  }

  /// Whether a class, or one between it and an ancestor, has stored properties that were built without their metadata.
  static func areHidden(in type: Any.Type, below ancestor: AnyClass) -> Bool {
    var next: AnyClass? = type as? AnyClass
    while let type = next, type != ancestor, let parent = _getSuperclass(type) {
      if fieldCount(type) == fieldCount(parent), instanceSize(type) > instanceSize(parent) { return true }
      next = parent
    }
    return false
  }
}

/// What `ManagedBuffer` asks, which is inlined into other modules, so that it stays.
@_silgen_name("$ss36_class_getInstancePositiveExtentSizeySiyXlXpF")
private func instanceSize(_: AnyClass) -> Int

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(
  _: Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(_: Any.Type, index: Int) -> Int

/// What the runtime says of a property; its name's memory has to be freed.
private struct FieldMetadata {
  // Variables, since the runtime writes them.
  var name: UnsafePointer<CChar>?
  var free: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = false
  var isVariable = false
}
