/// A group gives its operation an item under one key and finds the output under another.
enum GroupKeysRule: ValidationRule {
  static let severity = FlowProblem.Severity.warning

  static func problems(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, let creator = group.ports.creator else { return [] }
    var operation: FlowOperation? = creator.create()
    defer { FlowOperation.release(&operation) }
    var missing: [String] = []
    if operation?.primaryInputName() == "" { missing.append("primaryInputParamKey") }
    if group.keepsOutputs && operation?.primaryOutputName() == "" { missing.append("primaryOutputParamKey") }
    guard !missing.isEmpty else { return [] }
    return [
      FlowProblem(
        severity, .missingPrimaryKeys, at: place.path,
        "\(group.itemName) declares no \(missing.joined(separator: " and no ")).",
        remedy: "Override it, or declare a @FlowInput and a @FlowOutput, so that the group can reach the item's data.")
    ]
  }
}
