import OperationFlow

extension FlowRecord {
  /// The saved form of a step: without its path if the step is deep within others, which define the path.
  ///
  /// If all steps had paths, the size of a saved record would grow with the square of the depth.
  package struct SavedStep: Codable {
    /// The depth up to which steps are saved with their paths.
    static let depthWithPath = 32

    fileprivate let step: Step
    private let leavesOutPath: Bool

    fileprivate init(_ step: Step, leavesOutPath: Bool) { (self.step, self.leavesOutPath) = (step, leavesOutPath) }

    package init(from decoder: any Decoder) throws {
      (step, leavesOutPath) = (try Step(from: decoder), false)
    }

    package func encode(to encoder: any Encoder) throws { try step.encode(to: encoder, leavesOutPath: leavesOutPath) }
  }

  /// Returns true if the path of a step is the path of its parent, followed by the step.
  private func pathFollows(_ step: Step) -> Bool {
    guard let outer = step.parent.flatMap(self.step) else { return false }
    return step.path.isPath(of: step.name, number: step.number, within: outer.path)
  }

  /// The saved form of the steps.
  package var savedSteps: [SavedStep] {
    var depths: [Int: Int] = [:]
    return steps.map { step in
      let depth = step.parent.map { depths[$0, default: 0] + 1 } ?? 0
      depths[step.id] = depth
      let isDeep = depth > SavedStep.depthWithPath
      return SavedStep(step, leavesOutPath: isDeep && pathFollows(step))
    }
  }
}

extension FlowRecord.Step {
  /// Returns the saved steps, with the paths that were left out.
  package static func all(_ saved: [FlowRecord.SavedStep]) -> [Self] {
    let steps = saved.map(\.step)
    guard steps.contains(where: { $0.path.description.isEmpty }) else { return steps }
    let places = Dictionary(steps.indices.map { (steps[$0].id, $0) }) { first, _ in first }
    let paths = FlowPath.all(
      in: steps.indices.map { index in
        // In a damaged record, the parent of a step may be a later one.
        let parent = steps[index].parent.flatMap { places[$0] }.flatMap { $0 < index ? $0 : nil }
        return PathTable.Node(parent: parent, number: steps[index].number, name: steps[index].name)
      })
    return steps.enumerated().map { index, step in
      step.path.description.isEmpty ? step.with(paths[index]) : step
    }
  }

  private func with(_ path: FlowPath) -> Self {
    Self(
      id: id, parent: parent, name: name, number: number, kind: kind, path: path, inputs: inputs, outputs: outputs,
      options: options, state: state, duration: duration, beforeResume: beforeResume, attempts: attempts, items: items,
      followUps: followUps)
  }
}
