extension Validation {
  /// Reports an operation object that is in several steps, because it can run only once.
  func findOperationsUsedTwice() {
    var seen = [ObjectIdentifier: Int]()
    for id in blueprint.instanceSteps {
      guard let operation = blueprint.steps[id].instance?.held,
        seen.updateValue(id, forKey: ObjectIdentifier(operation)) != nil
      else { continue }
      report(
        .error, .operationUsedTwice, at: path(of: id), "The same operation object is added twice.",
        remedy: "Make an operation for each step: \(makingAnew(id)) without a label makes one.")
    }
    for id in facts.repeatedSteps {
      report(
        .error, .operationUsedTwice, at: path(of: id),
        "Its operation is an object that another step uses too: the argument of add(_:) doesn't make a new one.",
        remedy: "Make it inside the call: \(makingAnew(id)).")
    }
  }

  /// Reports operation objects that are running or have run; a start finds them when it reserves the operations.
  func findSpentOperations() {
    for id in blueprint.instanceSteps where blueprint.steps[id].instance?.isSpent == true {
      report(
        .error, .operationUsedTwice, at: path(of: id), "Its operation object runs, or has run already.",
        remedy: "Make an operation for each run: \(makingAnew(id)) without a label makes one.")
    }
  }

  private func makingAnew(_ id: Blueprint.StepID) -> String {
    if case .operation(let type) = blueprint.stepProperties[id].kind { "add(\(type)())" } else { "add" }
  }

  /// Reports an operation's dependencies on later operations, and on operations in a branch that may not be chosen.
  func findDependencies() {
    guard let graph = DependencyGraph(blueprint, facts.paths) else { return }
    for (step, dependency) in graph.unmeetable {
      let other = dependency.map { "\(path(of: $0))" }
      report(.unmeetableDependency(on: other, isItself: dependency == step), at: path(of: step))
    }
    if findsErrorsOnly { return }
    for (step, dependency) in graph.uncertain {
      report(
        .warning, .unmeetableDependency, at: path(of: step),
        "It depends on \(path(of: dependency)), whose branch may not be taken: then it does not wait.",
        remedy: "Remove the dependency, or add both to the same branch.")
    }
  }
}
