/// What a journal has about a step of the flow that began the run: where it is, and what its entries depend on.
struct StepShape: Sendable, Hashable {
  /// Its path as text.
  var path: String
  /// Its kind, and the traits that change what is in the journal.
  var traits: String
  /// The block that it belongs to.
  var block: ShapeBlock

  /// Whether it is one of the steps that run at the end.
  var isAtEnd: Bool

  /// The step in a message.
  var text: String { "\(path): \(traits)" }

  init(path: String, traits: String, block: ShapeBlock, isAtEnd: Bool) {
    (self.path, self.traits, self.block, self.isAtEnd) = (path, traits, block, isAtEnd)
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    (path, traits) = (try reader.text(), try reader.text())
    block = ShapeBlock(owner: try reader.count() - 1, branch: try reader.count())
    isAtEnd = try reader.byte() == 1
  }

  func write(to writer: inout JournalWriter) {
    writer.text(path)
    writer.text(traits)
    writer.number(block.owner + 1)
    writer.number(block.branch)
    writer.byte(isAtEnd ? 1 : 0)
  }
}

/// The steps of a run, of a flow that is a step, or of one of the branches of a step.
struct ShapeBlock: Sendable, Hashable {
  /// The number of the step around it; -1 for the steps of the run.
  var owner: Int
  /// Which of the branches of that step it is.
  var branch: Int

  static let root = ShapeBlock(owner: -1, branch: 0)
}
