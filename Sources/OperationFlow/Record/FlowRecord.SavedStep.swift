extension FlowRecord {
  /// A step as it is saved: without its path if it is deep within others, because the steps around it tell the path.
  ///
  /// With their paths, the size of a saved record would grow with the square of the depth.
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

  /// The steps as they are saved.
  package var savedSteps: [SavedStep] {
    var depths: [Int: Int] = [:]
    return steps.map { step in
      let depth = step.parent.map { depths[$0, default: 0] + 1 } ?? 0
      depths[step.id] = depth
      let isDeep = depth > SavedStep.depthWithPath
      return SavedStep(step, leavesOutPath: isDeep && step.path.ends(in: step, within: step.parent.flatMap(self.step)))
    }
  }
}

extension FlowRecord.Step {
  /// The steps that were saved, with the paths that were left out.
  package static func all(_ saved: [FlowRecord.SavedStep]) -> [Self] {
    let steps = saved.map(\.step)
    guard steps.contains(where: { $0.path.description.isEmpty }) else { return steps }
    let places = Dictionary(steps.indices.map { (steps[$0].id, $0) }) { first, _ in first }
    let table = PathTable(
      steps.indices.map { index in
        // A damaged record may say that a step is within a later one.
        let parent = steps[index].parent.flatMap { places[$0] }.flatMap { $0 < index ? $0 : nil }
        return PathTable.Node(parent: parent, number: steps[index].number, name: steps[index].name)
      })
    return steps.enumerated().map { index, step in
      step.path.description.isEmpty ? step.with(FlowPath(table, index)) : step
    }
  }

  private func with(_ path: FlowPath) -> Self {
    Self(
      id: id, parent: parent, name: name, number: number, kind: kind, path: path, inputs: inputs, outputs: outputs,
      options: options, state: state, duration: duration, beforeResume: beforeResume, attempts: attempts, items: items)
  }
}

extension FlowPath {
  /// Whether it is the path of what contains a step and then the step, which is found without making its text.
  fileprivate func ends(in step: FlowRecord.Step, within parent: FlowRecord.Step?) -> Bool {
    guard let (table, node) = tableNode, let parent, table.name(of: node) == step.name,
      table.number(of: node) == step.number, let outer = table.parent(of: node)
    else { return false }
    guard let (outerTable, outerNode) = parent.path.tableNode else {
      return parent.path.description == table.text(of: outer)
    }
    return outerTable === table && outerNode == outer
  }
}
