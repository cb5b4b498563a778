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
  guard let typed = value as? Value else {
    let text = isSensitive ? ValueText.redacted : "<\(ValueText.describe(value))>"
    throw FlowError(
      .mismatchedData,
      "<\(name)> in data bucket is \(text) with type <\(Swift.type(of: value))>, but NOT type <\(type)>.",
      remedy: "Write a \(type) under <\(name)>, or read it as \(Swift.type(of: value)).", key: name)
  }
  return typed
}
