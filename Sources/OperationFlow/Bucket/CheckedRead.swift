/// The value as the requested type, or the failure that describes what was found instead.
///
/// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`.
func checked<Value>(
  _ value: (any Sendable)?, name: String, isSensitive: Bool, as type: Value.Type = Value.self
) throws(FlowError) -> Value {
  guard let value else {
    let shownName = ValueText.name(name)
    throw FlowError(
      .missingData, "can't find <\(shownName)> in data bucket",
      remedy: "Set <\(shownName)> in the flow's data bucket, or in a step that comes before.", key: name)
  }
  return try checkedType(value, name: name, isSensitive: isSensitive)
}

/// The same, for a value that is there.
func checkedType<Value>(_ value: any Sendable, name: String, isSensitive: Bool) throws(FlowError) -> Value {
  if let typed = value as? Value { return typed }
  let shownName = ValueText.name(name)
  func problem(_ text: String) -> String {
    "<\(shownName)> in data bucket is \(text) with type <\(type(of: value))>, but NOT type <\(Value.self)>."
  }
  let hidden = problem(ValueText.redacted)
  throw FlowError(
    .mismatchedData, isSensitive ? hidden : problem("<\(ValueText.describe(value))>"),
    remedy: "Write a \(Value.self) under <\(shownName)>, or read it as \(type(of: value)).", key: name
  ).hiddenAs(hidden)
}
