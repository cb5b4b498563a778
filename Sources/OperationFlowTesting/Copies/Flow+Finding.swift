import OperationFlow

extension FlowError.Code {
  /// No step of a flow has a certain name or path.
  public static let unknownStep = FlowError.Code("unknownStep")
  /// Several steps of a flow have the same name, so that only a path identifies one.
  public static let ambiguousStep = FlowError.Code("ambiguousStep")
  /// A fault that is to be injected has an invalid share, time or number.
  public static let invalidFault = FlowError.Code("invalidFault")
}

/// A step of a flow that a test has named.
struct FoundStep {
  let path: FlowPath
  let name: String
}

extension Flow {
  /// Finds a step by its name, its path, or its path without numbers.
  func step(_ place: String) throws(FlowError) -> FoundStep {
    let steps = foundSteps
    if let step = steps.first(where: { $0.path.description == place }) { return step }
    let found = steps.filter { $0.path.isMeant(by: place, name: $0.name) }
    if let step = found.first, found.count == 1 { return step }
    guard found.isEmpty else {
      throw FlowError(
        .ambiguousStep, "\(found.count) steps are named \"\(place)\"",
        remedy: "Give the path of one of them: \(found.map { "\"\($0.path)\"" }.joined(separator: ", ")).", flow: name)
    }
    throw FlowError(
      .unknownStep, "there is no step \"\(place)\"",
      remedy: "The flow has: \(steps.map { "\"\($0.path)\"" }.joined(separator: ", ")).", flow: name)
  }

  /// All steps, each before those within it.
  var foundSteps: [FoundStep] {
    let paths = makeLaunch().shownFacts.paths
    return paths.outermostFirst.filter { !paths.isBranch($0) }.compactMap { node in
      paths.path(of: node).map { FoundStep(path: $0, name: paths.name(of: node)) }
    }
  }

  /// Returns the error for a step that has no items.
  func noGroup(_ step: FoundStep) -> FlowError {
    FlowError(
      .unknownStep, "the step \"\(step.path)\" is not a group",
      remedy: "Leave out the item, or name a step that forEach or addGrouped has added.", flow: name)
  }
}

extension FlowPath {
  /// The path without numbers, with branches in brackets, such as `Cases[target=web] > ResizeOp`.
  var short: String {
    var parts: [String] = []
    for part in description.split(separator: " > ", omittingEmptySubsequences: false).map(String.init) {
      let name = Self.withoutNumber(part)
      if name != nil || parts.isEmpty {
        parts.append(name ?? part)
      } else {
        parts[parts.count - 1] += "[\(part)]"
      }
    }
    return parts.joined(separator: " > ")
  }

  /// The name of the step itself.
  var lastName: String {
    let last = description.split(separator: " > ", omittingEmptySubsequences: false).last.map(String.init) ?? ""
    return Self.withoutNumber(last) ?? last
  }

  /// Returns true if a test means the step: by its name, by its path, or by its path without numbers.
  func isMeant(by place: String, name: String? = nil) -> Bool {
    place == (name ?? lastName) || place == description || place == short
  }

  /// Returns the name after `3. `; `nil` for a branch, which has no number.
  private static func withoutNumber(_ part: String) -> String? {
    let digits = part.prefix { $0.isNumber }
    let rest = part.dropFirst(digits.count)
    return digits.isEmpty || !rest.hasPrefix(". ") ? nil : String(rest.dropFirst(2))
  }
}
