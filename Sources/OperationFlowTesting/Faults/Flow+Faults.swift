import OperationFlow

extension Flow {
  /// Returns a copy of the flow with faults in its work.
  ///
  /// - Parameter faults: The faults; if the flow has some already, the new ones are asked first.
  /// - Returns: The copy.
  /// - Throws: ``OperationFlow/FlowError`` with the code `unknownStep` if no step has a fault's name, or `invalidFault`
  ///   if a share, a time or a number is invalid.
  public func injecting(_ faults: FlowFaults) throws -> Flow {
    let steps = foundSteps
    for rule in faults.rules {
      if let problem = rule.problem {
        throw FlowError(
          .invalidFault, problem,
          remedy: "Give a share from 0 to 1, attempts from 1, items from 0, and a delay of at least zero.", flow: name)
      }
      // Several steps may have the name, but at least one has to.
      if let place = rule.step, !steps.contains(where: { $0.path.isMeant(by: place, name: $0.name) }) {
        _ = try step(place)
      }
    }
    return probed { WorkProbe(after: $0, faults: faults) }
  }
}
