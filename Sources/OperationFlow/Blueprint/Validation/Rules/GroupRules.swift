extension Validation {
  /// A group gives its operation an item under one key and finds the output under another.
  static func groupKeys(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, let creator = group.ports.creator else { return [] }
    var operation: FlowOperation? = creator.create()
    defer { FlowOperation.release(&operation) }
    var missing: [String] = []
    if operation?.primaryInputName() == "" { missing.append("primaryInputParamKey") }
    if group.keepsOutputs && operation?.primaryOutputName() == "" { missing.append("primaryOutputParamKey") }
    guard !missing.isEmpty else { return [] }
    return [
      FlowProblem(
        .warning, .missingPrimaryKeys, at: place.path,
        "\(group.itemName) declares no \(missing.joined(separator: " and no ")).",
        remedy: "Override it, or declare a @FlowInput and a @FlowOutput, so that the group can reach the item's data.")
    ]
  }

  /// The element types of a group's arrays must fit what its operation reads and writes.
  static func itemType(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, group.tolerance == .none, place.hasItems else { return [] }
    var problems: [FlowProblem] = []
    if let given = group.ports.itemType, let port = place.ports.item, let read = port.type,
      TypeFit.isImpossible(given, as: read)
    {
      problems.append(
        problem(at: place, "\(group.itemName) reads its item <\(port.name)> as <\(read)>, and is given a <\(given)>."))
    }
    if let wanted = group.ports.outputElementType, let port = place.ports.itemOutput, let written = port.type,
      TypeFit.isImpossible(written, as: wanted)
    {
      problems.append(
        problem(
          at: place, "\(group.itemName) writes a <\(written)> under <\(port.name)>, where <\(wanted)> is collected."))
    }
    return problems
  }

  private static func problem(at place: ValidationPlace, _ text: String) -> FlowProblem {
    FlowProblem(
      .error, .mismatchedData, at: place.path, text, remedy: "Give the group keys of the operation's types.")
  }

  /// A group must be able to run at least one item at a time.
  static func invalidWidth(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, group.width < 1 else { return [] }
    return [FlowProblem(FlowError.invalidWidth(group.width), at: place.path)]
  }

  /// A group's tolerance can't be below 0, and a share can't be above 1.
  static func invalidTolerance(at place: ValidationPlace) -> [FlowProblem] {
    guard case .group(let group) = place.step.kind, let error = group.tolerance.error else { return [] }
    return [FlowProblem(error, at: place.path)]
  }
}
