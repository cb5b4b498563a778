/// The warnings about a closure's uses of keys that don't go with what its step declares, or with the value that is there.
///
/// A run gives each once, however often a step or its items do it.
enum KeyUse {
  static func undeclaredRead(of name: String) -> String {
    "<\(name)> is read, and the step's .reads(…) does not declare it: add it there, so that it can be checked."
  }

  static func undeclaredWrite(of name: String) -> String {
    "<\(name)> is written, and the step's .writes(…) does not declare it: add it there, so that it can be checked."
  }

  /// The warning about a value that can't be read as its key's type.
  static func mismatch(_ name: String, as type: Any.Type, found value: any Sendable) -> String {
    guard let unavailable = value as? UnavailableValue else { return unusedValue(named: name, as: type, found: value) }
    let error = FlowError.unavailable(name, isSensitive: unavailable.isSensitive)
    return "\(error.problem) \(error.remedy)"
  }
}
