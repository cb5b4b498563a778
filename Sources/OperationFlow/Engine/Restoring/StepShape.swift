/// What the kept work of a step depends on: where the step is, and how it works.
package struct StepShape: Sendable, Hashable {
  /// Its path as text.
  package var path: String
  /// Its kind, and the traits that change what is kept.
  package var traits: String
  /// The block that it belongs to.
  package var block: ShapeBlock

  /// Whether it is one of the steps that run at the end.
  package var isAtEnd: Bool

  package init(path: String, traits: String, block: ShapeBlock, isAtEnd: Bool) {
    (self.path, self.traits, self.block, self.isAtEnd) = (path, traits, block, isAtEnd)
  }
}

/// The steps of a run, of a flow that is a step, or of one of the branches of a step.
package struct ShapeBlock: Sendable, Hashable {
  /// The number of the step around it; -1 for the steps of the run.
  package var owner: Int
  /// Which of the branches of that step it is.
  package var branch: Int

  package static let root = ShapeBlock(owner: -1, branch: 0)

  package init(owner: Int, branch: Int) { (self.owner, self.branch) = (owner, branch) }
}
