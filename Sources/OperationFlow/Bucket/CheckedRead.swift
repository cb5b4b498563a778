/// Returns the value as the requested type, or throws an error that describes the value that was found.
func checked<Value>(
  _ value: (any Sendable)?, name: String, isSensitive: Bool, as type: Value.Type = Value.self
) throws(FlowError) -> Value {
  guard let value else { throw .missing(name) }
  return try checked(value, name: name, isSensitive: isSensitive, as: type)
}

/// Returns a value that isn't missing as the requested type, or throws an error that describes the value.
func checked<Value>(
  _ value: any Sendable, name: String, isSensitive: Bool, as type: Value.Type = Value.self
) throws(FlowError) -> Value {
  // A cast of an optional, whose type is only known at run time, costs more than the cast of the value.
  switch value {
  case let typed as Value: return typed
  default:
    if let typed = restored(value, as: type) { return typed }
    throw .mismatched(value, name: name, isSensitive: isSensitive, as: type)
  }
}

extension FlowError {
  /// Creates the error of a value of another type; `isStored` is true if an earlier process has stored the value.
  package static func mismatched(
    _ value: any Sendable, name: String, isSensitive: Bool, as type: Any.Type, isStored: Bool = false
  ) -> FlowError {
    if let unavailable = value as? UnavailableValue { return .unavailable(name, isSensitive: unavailable.isSensitive) }
    let shownName = ValueText.name(name)
    let found = foundType(of: value)
    func problem(_ text: String) -> String {
      "<\(shownName)> in data bucket is \(text) with type <\(found.name)>, but NOT type <\(type)>."
    }
    let hidden = problem(ValueText.redacted)
    let obstacle = (value as? any UndecodedValue)?.obstacle(toDecodingAs: type).map { " It can't be decoded: \($0)." }
    let remedy =
      obstacle == nil
      ? isStored
        ? "Read <\(shownName)> as \(found.readable), which is what was stored."
        : "Write a value of type \(type) under <\(shownName)>, or read it as \(found.readable)."
      : "Let \(type) decode what was written, such as by a default for what is new in it, or read <\(shownName)> as "
        + "\(found.readable)."
    return FlowError(
      .mismatchedData, isSensitive ? hidden : problem("<\(ValueText.describe(value))>") + (obstacle ?? ""),
      remedy: remedy, key: name, hiddenProblem: hidden)
  }

  /// Creates the error of a value that can't be changed, because it isn't available as the type; this calls no code of
  /// its type.
  static func unreadable(_ value: any Sendable, _ name: String, isSensitive: Bool, as type: Any.Type) -> FlowError {
    if let unavailable = value as? UnavailableValue { return .unavailable(name, isSensitive: unavailable.isSensitive) }
    let shownName = ValueText.name(name)
    let found = foundType(of: value)
    return FlowError(
      .mismatchedData,
      "<\(shownName)> in data bucket can't be changed: it is of type <\(found.name)>, but NOT type <\(type)>.",
      remedy: "Write a value of type \(type) under <\(shownName)>, or read it as \(found.readable).", key: name)
  }

  static func missing(_ name: String) -> FlowError {
    let shownName = ValueText.name(name)
    return FlowError(
      .missingData, "can't find <\(shownName)> in data bucket",
      remedy: "Set <\(shownName)> in the flow's data bucket, or in a step that comes before.", key: name)
  }

  /// Creates the error of a value that a run had before it was resumed, but that isn't in its journal.
  package static func unavailable(_ name: String, isSensitive: Bool) -> FlowError {
    let shownName = ValueText.name(name)
    let why = isSensitive ? "is sensitive, and a journal doesn't store it" : "isn't stored"
    return FlowError(
      .missingData,
      "can't find <\(shownName)> in data bucket: it was there before the run was resumed, but <\(shownName)> \(why).",
      remedy: "Pass <\(shownName)> to run(id:in:with:) when you resume the run, or "
        + (isSensitive ? "give that call a FlowSealing." : "make it in the step that needs it."),
      key: name)
  }
}

/// Returns the name that an error shows for the type of a found value, and the type as which the value can be read.
///
/// The name of an array of any values depends on its elements, so that it is the same after the run was resumed.
func foundType(of value: any Sendable) -> (name: String, readable: String) {
  let array = (name: "array", readable: "an array")
  if let undecoded = value as? any UndecodedValue {
    // Only the step that wrote the value has its type, in an earlier process or on another machine.
    return undecoded.form == "array" ? array : ("JSON \(undecoded.form)", "the type that was written")
  }
  var type: Any.Type = Swift.type(of: value)
  if let values = value as? [any Sendable], type == [any Sendable].self {
    switch values {
    case is [String]: type = [String].self
    case is [Int]: type = [Int].self
    case is [Double]: type = [Double].self
    case is [Bool]: type = [Bool].self
    default: return array
    }
  }
  return ("\(type)", "\(type)")
}
