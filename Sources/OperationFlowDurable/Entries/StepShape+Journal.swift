import OperationFlow
import OperationFlowStorage

/// What the first entry of a journal has about a step.
extension StepShape {
  /// The step in a message.
  var text: String { "\(path): \(traits)" }

  init(_ reader: inout JournalReader) throws(FlowError) {
    let (path, traits) = (try reader.text(), try reader.text())
    let block = ShapeBlock(owner: try reader.count() - 1, branch: try reader.count())
    self.init(path: path, traits: traits, block: block, isAtEnd: try reader.byte() == 1)
  }

  func write(to writer: inout JournalWriter) {
    writer.text(path)
    writer.text(traits)
    writer.number(block.owner + 1)
    writer.number(block.branch)
    writer.byte(isAtEnd ? 1 : 0)
  }
}
