/// The shape of a step, on which its kept work depends: its place, and how it works.
struct StepShape: Sendable, Hashable {
  /// Its path as text.
  var path: String
  /// Its kind, and the traits that change what is kept.
  var traits: String
  /// The block that it belongs to.
  var block: ShapeBlock

  /// True if the step runs at the end.
  var isAtEnd: Bool

  init(path: String, traits: String, block: ShapeBlock, isAtEnd: Bool) {
    (self.path, self.traits, self.block, self.isAtEnd) = (path, traits, block, isAtEnd)
  }
}

/// The steps of a run, of a flow that is a step, or of one of the branches of a step.
struct ShapeBlock: Sendable, Hashable {
  /// The number of the step around it; -1 for the steps of the run.
  var owner: Int
  /// The number of the step's branch in that step.
  var branch: Int

  static let root = ShapeBlock(owner: -1, branch: 0)

  init(owner: Int, branch: Int) { (self.owner, self.branch) = (owner, branch) }
}
