/// A name keeps its type: a step that overwrites a value with one of another type is probably a mistake.
enum ChangedTypeRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    place.ports.outputs.flatMap { output -> [FlowProblem] in
      guard let type = output.type else { return [] }
      return (place.known[output.name]?.writers ?? []).compactMap { writer in
        let earlier: (who: String, type: Any.Type)
        switch writer {
        case .initial(let value, _): earlier = ("the flow's data bucket", Swift.type(of: value))
        case .step(let path, let type?): earlier = ("\(path)", type)
        case .step(_, nil): return nil
        }
        guard TypeFit.isImpossible(earlier.type, as: type) else { return nil }
        return FlowProblem(
          severity, .mismatchedData, at: place.path,
          "It writes a <\(type)> under <\(output.name)>, over the <\(earlier.type)> of \(earlier.who).",
          remedy: "Give one of them another key.", key: output.name)
      }
    }
  }
}
