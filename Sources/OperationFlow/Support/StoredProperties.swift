/// The types of a type's stored properties, those of its superclasses included, without an instance of it.
///
/// These are the entry points of the Swift runtime that the standard library's own `Mirror` stands on.
enum StoredProperties {
  static func types(of type: Any.Type) -> [Any.Type] {
    (0..<fieldCount(type)).map { index in
      var metadata = FieldMetadata()
      defer { metadata.free?(metadata.name) }
      return fieldType(type, index: index, fieldMetadata: &metadata)
    }
  }
}

@_silgen_name("swift_reflectionMirror_recursiveCount")
private func fieldCount(_: Any.Type) -> Int

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(
  _: Any.Type, index: Int, fieldMetadata: UnsafeMutablePointer<FieldMetadata>
) -> Any.Type

/// What the runtime says of a property; only the name's memory is of interest here, for it has to be freed.
private struct FieldMetadata {
  let name: UnsafePointer<CChar>? = nil
  let free: (@convention(c) (UnsafePointer<CChar>?) -> Void)? = nil
  let isStrong = false
  let isVariable = false
}
