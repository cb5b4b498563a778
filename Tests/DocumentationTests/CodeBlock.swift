import Foundation

/// A block of Swift in a document: its lines without indentation, and without the blank ones.
struct CodeBlock {
  /// Which line of the document the block's first line is, counted from 1.
  let line: Int
  let lines: [String]

  /// Manifests can't be compiled as a part of a target.
  var isManifest: Bool { lines.contains { $0.contains(".package(") } }

  /// The blocks of a Markdown text.
  static func all(inMarkdown text: String) -> [CodeBlock] {
    all(in: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  /// The blocks in a Swift file's documentation comments.
  static func all(inCommentsOf text: String) -> [CodeBlock] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return all(
      in: lines.map { line in
        let line = line.drop { $0 == " " }
        return line.hasPrefix("///") ? String(line.dropFirst(3)) : ""
      })
  }

  private static func all(in lines: [String]) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var start: Int?
    for (index, line) in lines.enumerated() {
      let line = line.trimmingCharacters(in: .whitespaces)
      if let first = start {
        guard line == "```" else { continue }
        blocks.append(CodeBlock(line: first + 1, lines: CodeBlock.normalized(lines[first..<index])))
        start = nil
      } else if line == "```swift" {
        start = index + 1
      }
    }
    return blocks
  }

  static func normalized(_ lines: some Sequence<some StringProtocol>) -> [String] {
    lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}

/// The Swift files in which the documents' code is compiled.
struct CompiledCode {
  private let texts: [String]

  init(_ files: [String]) {
    texts = files.map { CompiledCode.text(CodeBlock.normalized($0.split(separator: "\n"))) }
  }

  /// Whether one of the files has the lines of the block, one after the other, without its imports.
  func holds(_ block: CodeBlock) -> Bool {
    let text = CompiledCode.text(Array(block.lines.drop { $0.hasPrefix("import ") }))
    return texts.contains { $0.contains(text) }
  }

  private static func text(_ lines: [String]) -> String { "\n" + lines.joined(separator: "\n") + "\n" }
}
