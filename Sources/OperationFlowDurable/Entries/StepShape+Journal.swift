import OperationFlow
import OperationFlowStorage

/// The bytes of a step in the first entry of a journal.
extension StepShape {
  /// The text of the step in a message.
  var text: String { "\(path): \(traits)\(awaited.map { ", \($0)" } ?? "")" }

  /// Reads a step in a version of the format; before version 4, `awaited` is missing.
  init(_ reader: inout JournalReader, version: Int) throws(FlowError) {
    let (path, traits) = (try reader.text(), try reader.text())
    let block = ShapeBlock(owner: try reader.count() - 1, branch: try reader.count())
    let isAtEnd = try reader.byte() == 1
    let awaited = version < 4 ? nil : try reader.optional { reader throws(FlowError) in try reader.text() }
    self.init(path: path, traits: traits, block: block, isAtEnd: isAtEnd, awaited: awaited)
  }

  func write(to writer: inout JournalWriter) {
    writer.text(path)
    writer.text(traits)
    writer.number(block.owner + 1)
    writer.number(block.branch)
    writer.byte(isAtEnd ? 1 : 0)
    writer.optional(awaited) { $0.text($1) }
  }
}
