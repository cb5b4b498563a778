/// How an error names the type of a value that was found under a name, and what the value can be read as instead.
struct FoundType: CustomStringConvertible {
  let description: String
  let readable: String

  init(of value: any Sendable) {
    guard let json = value as? StoredJSON else {
      description = "\(type(of: value))"
      readable = description
      return
    }
    description = "JSON \(json.kind)"
    // The type is known only to the step that wrote the value, in an earlier process or on another machine.
    readable = "the type that was written"
  }
}
