/// How an error names the type of a value that was found under a name, and what the value can be read as instead.
///
/// An array of any values is named by what its elements are, so that it has the same name after its run was resumed.
struct FoundType: CustomStringConvertible {
  let description: String
  let readable: String

  init(of value: any Sendable) {
    if let undecoded = value as? any UndecodedValue {
      // The type is known only to the step that wrote the value, in an earlier process or on another machine.
      self =
        undecoded.form == "array" ? .array : FoundType("JSON \(undecoded.form)", readable: "the type that was written")
    } else if let values = value as? [any Sendable], type(of: value) == [any Sendable].self {
      switch values {
      case is [String]: self.init("\([String].self)")
      case is [Int]: self.init("\([Int].self)")
      case is [Double]: self.init("\([Double].self)")
      case is [Bool]: self.init("\([Bool].self)")
      default: self = .array
      }
    } else {
      self.init("\(type(of: value))")
    }
  }

  /// An array whose elements may be anything.
  private static let array = FoundType("array", readable: "an array")

  private init(_ description: String, readable: String? = nil) {
    (self.description, self.readable) = (description, readable ?? description)
  }
}
