/// The value as the requested type, or the failure that describes what was found instead.
///
/// - Throws: ``FlowError`` with the code `missingData` or `mismatchedData`.
func checked<Value>(
  _ value: (any Sendable)?, name: String, isSensitive: Bool, as type: Value.Type = Value.self
) throws(FlowError) -> Value {
  guard let value else { throw .missing(name) }
  return try checkedType(value, name: name, isSensitive: isSensitive)
}

/// The same, for a value that is there.
func checkedType<Value>(_ value: any Sendable, name: String, isSensitive: Bool) throws(FlowError) -> Value {
  if let typed = value as? Value { return typed }
  if let restored = restored(value, as: Value.self) { return restored }
  throw .mismatched(value, name: name, isSensitive: isSensitive, as: Value.self)
}

extension FlowError {
  /// A value that can't be read as a type.
  static func mismatched(_ value: any Sendable, name: String, isSensitive: Bool, as type: Any.Type) -> FlowError {
    if let unavailable = value as? UnavailableValue { return .unavailable(name, isSensitive: unavailable.isSensitive) }
    let (shownName, found) = (ValueText.name(name), FoundType(of: value))
    func problem(_ text: String) -> String {
      "<\(shownName)> in data bucket is \(text) with type <\(found)>, but NOT type <\(type)>."
    }
    let hidden = problem(ValueText.redacted)
    return FlowError(
      .mismatchedData, isSensitive ? hidden : problem("<\(ValueText.describe(value))>"),
      remedy: "Write a value of type \(type) under <\(shownName)>, or read it as \(found.readable).", key: name
    ).hiddenAs(hidden)
  }

  /// A value that isn't there.
  static func missing(_ name: String) -> FlowError {
    let shownName = ValueText.name(name)
    return FlowError(
      .missingData, "can't find <\(shownName)> in data bucket",
      remedy: "Set <\(shownName)> in the flow's data bucket, or in a step that comes before.", key: name)
  }

  /// A value that a run had before it was resumed, and that isn't in its journal.
  package static func unavailable(_ name: String, isSensitive: Bool) -> FlowError {
    let shownName = ValueText.name(name)
    let why = isSensitive ? "is sensitive, and a journal doesn't store it" : "isn't stored"
    return FlowError(
      .missingData,
      "can't find <\(shownName)> in data bucket: it was there before the run was resumed, but <\(shownName)> \(why).",
      remedy: isSensitive
        ? "Pass <\(shownName)> to run(id:in:with:) when you resume the run, or give that call a FlowSealing."
        : "Pass <\(shownName)> to run(id:in:with:) when you resume the run, or make it in the step that needs it.",
      key: name)
  }
}
