/// Returns the name of an enum value's case, whatever its description is; `nil` if the value isn't an enum.
///
/// Associated values are not read. This is the entry point of the Swift runtime that the standard library itself uses
/// to print enums.
func enumCaseName<Value>(of value: Value) -> String? {
  runtimeCaseName(value).map { String(cString: $0) }
}

@_silgen_name("swift_EnumCaseName")
private func runtimeCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
