/// The value as the type that was asked for, or the failure that says what was found instead.
///
/// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`.
func checked<Value>(
  _ value: (any Sendable)?, name: String, isSensitive: Bool, as type: Value.Type = Value.self
) throws(FlowError) -> Value {
  guard let value else {
    throw FlowError(
      .missingData, "can't find <\(name)> in data bucket",
      remedy: "Set <\(name)> in the flow's data bucket, or in a step that comes before.", key: name)
  }
  return try checkedType(value, name: name, isSensitive: isSensitive)
}

/// The same, of a value that is there.
func checkedType<Value>(_ value: any Sendable, name: String, isSensitive: Bool) throws(FlowError) -> Value {
  if let typed = value as? Value { return typed }
  let text = isSensitive ? ValueText.redacted : "<\(ValueText.describe(value))>"
  throw FlowError(
    .mismatchedData,
    "<\(name)> in data bucket is \(text) with type <\(type(of: value))>, but NOT type <\(Value.self)>.",
    remedy: "Write a \(Value.self) under <\(name)>, or read it as \(type(of: value)).", key: name)
}
