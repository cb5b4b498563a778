/// A value must be able to have the type that a step reads it as.
enum MismatchedInputRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    mismatches(at: place) { $0.isRequired }.map { input, asked, found in
      FlowProblem(
        severity, .mismatchedData, at: place.path, "<\(input.name)> is read as <\(asked)>, but \(found).",
        remedy: "Write a value that can be read as \(asked), or read it as what is written.", key: input.name)
    }
  }

  /// The type that some inputs are read as, and what is found instead.
  static func mismatches(
    at place: ValidationPlace, of isMeant: (InputPort) -> Bool
  ) -> [(input: InputPort, asked: String, found: String)] {
    var found: [(input: InputPort, asked: String, found: String)] = []
    for input in place.inputs where isMeant(input) {
      for writer in place.known[input.name]?.writers ?? [] {
        guard let mismatch = mismatch(writer, input) else { continue }
        found.append((input, input.type.map { "\($0)" } ?? "an array", mismatch))
      }
    }
    return found
  }

  /// What is wrong with a value that is written, for an input that would read it; `nil` if it may fit.
  static func mismatch(_ writer: KnownData.Writer, _ input: InputPort) -> String? {
    switch writer {
    case .initial(let value, _):
      return input.accepts(value) ? nil : "the data bucket holds a <\(FoundType(of: value))> at first"
    case .step(let path, let type?):
      let read: Any.Type = input.type ?? [Any].self
      return TypeFit.isImpossible(type, as: read) ? "\(path) writes a <\(type)>" : nil
    case .step(_, nil):
      return nil
    }
  }
}
