/// The element types of a group's arrays must fit what its operation reads and writes.
enum ItemTypeRule: ValidationRule {
  static func problems(at place: ValidationPlace) -> [FlowProblem] {
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
      severity, .mismatchedData, at: place.path, text, remedy: "Give the group keys of the operation's types.")
  }
}
