extension Validation {
  /// Reports an invalid width or tolerance, and arrays that don't fit the operation's item and output.
  func findInvalidGroup(at place: ValidationPlace) {
    guard case .group(let group) = blueprint.steps[place.id].kind else { return }
    if group.width < 1 { report(FlowError.invalidWidth(group.width), at: path(of: place.id)) }
    if let error = group.tolerance.error { report(error, at: path(of: place.id)) }
    guard group.tolerance == .none, hasItems(place) else { return }
    func mismatch(_ severity: FlowProblem.Severity, _ text: String) {
      report(
        severity, .mismatchedData, at: path(of: place.id), text, remedy: "Give the group keys of the operation's types."
      )
    }
    if let given = group.itemType, let port = place.ports.item, let read = port.type,
      TypeFit.isImpossible(given, as: read), !recovers(place)
    {
      // An item runs without a value that is optional or has a default.
      let end = port.isRequired ? "." : ": it goes on without that value."
      mismatch(
        port.isRequired ? .error : .warning,
        "\(group.itemName) reads its item <\(port.name)> as <\(read)>, and is given a <\(given)>\(end)")
    }
    if let wanted = group.outputType, let port = place.ports.itemOutput, let written = port.type,
      TypeFit.isImpossible(written, as: wanted)
    {
      mismatch(.error, "\(group.itemName) writes a <\(written)> under <\(port.name)>, where <\(wanted)> is collected.")
    }
  }

  /// Returns true if the array of a group's items is known and not empty.
  func hasItems(_ place: ValidationPlace) -> Bool {
    guard case .group(let group) = blueprint.steps[place.id].kind, let name = group.input?.name,
      let array = known[name].initialValue as? any ArrayElements
    else { return false }
    return array.elementCount > 0
  }

  /// Reports a group's operation that has no key for its item, or none for its output.
  func findMissingGroupKeys(at place: ValidationPlace) {
    guard case .group(let group) = blueprint.steps[place.id].kind, let creator = group.creator else { return }
    var operation: FlowOperation? = creator.create()
    defer { FlowOperation.release(&operation) }
    var missing: [String] = []
    if operation?.primaryInputName() == "" { missing.append("primaryInputParamKey") }
    if group.keepsOutputs && operation?.primaryOutputName() == "" { missing.append("primaryOutputParamKey") }
    guard !missing.isEmpty else { return }
    report(
      .warning, .missingPrimaryKeys, at: path(of: place.id),
      "\(group.itemName) declares no \(missing.joined(separator: " and no ")).",
      remedy: "Override it, or declare a @FlowInput and a @FlowOutput, so that the group can reach the item's data.")
  }
}
