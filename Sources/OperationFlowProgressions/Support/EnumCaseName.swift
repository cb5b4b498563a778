/// The name of the case that an enum's value is of, whatever its description says; `nil` if it isn't an enum.
///
/// What is associated with the case is not looked at. This is the entry point of the Swift runtime that the standard
/// library's own printing of enums stands on.
func enumCaseName<Value>(of value: Value) -> String? {
  runtimeCaseName(value).map { String(cString: $0) }
}

@_silgen_name("swift_EnumCaseName")
private func runtimeCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
