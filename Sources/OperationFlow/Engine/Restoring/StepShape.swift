/// The shape of a step, on which its kept work depends: its place, and how it works.
package struct StepShape: Sendable, Hashable {
  /// Its path as text.
  package var path: String
  /// Its kind, and the traits that change what is kept.
  package var traits: String
  /// The block that it belongs to.
  package var block: ShapeBlock

  /// True if the step runs at the end.
  package var isAtEnd: Bool

  package init(path: String, traits: String, block: ShapeBlock, isAtEnd: Bool) {
    (self.path, self.traits, self.block, self.isAtEnd) = (path, traits, block, isAtEnd)
  }
}

/// The steps of a run, of a flow that is a step, or of one of the branches of a step.
package struct ShapeBlock: Sendable, Hashable {
  /// The number of the step around it; -1 for the steps of the run.
  package var owner: Int
  /// The number of the step's branch in that step.
  package var branch: Int

  package static let root = ShapeBlock(owner: -1, branch: 0)

  package init(owner: Int, branch: Int) { (self.owner, self.branch) = (owner, branch) }
}
