import Foundation

/// A block of code in a document, or in the documentation comments of a source.
struct CodeBlock {
  /// The text after the first fence: `swift`, or nothing if the block shows an output.
  let language: String
  /// The heading above the block.
  let heading: String
  /// The file of the block, and the number of the block's first line in it, counted from 1.
  let path: String
  let line: Int
  /// The lines, without the indentation of the block.
  let lines: [Substring]

  /// True if the block is Swift code to compile here.
  ///
  /// Manifests are compiled by a check of a client.
  var isSwift: Bool { language == "swift" && !lines.contains { $0.contains(".package(") } }

  /// Returns the blocks of a Markdown text.
  static func all(inMarkdown text: String, of path: String) -> [CodeBlock] {
    all(in: text.split(separator: "\n", omittingEmptySubsequences: false), of: path)
  }

  /// Returns the blocks in a source's documentation comments.
  static func all(inCommentsOf text: String, of path: String) -> [CodeBlock] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.drop { $0 == " " }
      return line.hasPrefix("///") ? line.dropFirst(line.hasPrefix("/// ") ? 4 : 3) : ""
    }
    return all(in: lines, of: path)
  }

  private static func all(in lines: [Substring], of path: String) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var heading = path.split(separator: "/").last.map(String.init) ?? path
    var open: (start: Int, indentation: Int)?
    for (index, line) in lines.enumerated() {
      let text = line.drop { $0 == " " }
      if let (start, indentation) = open {
        guard text == "```" else { continue }
        let language = lines[start].drop { $0 == " " || $0 == "`" }
        blocks.append(
          CodeBlock(
            language: String(language), heading: heading, path: path, line: start + 2,
            lines: lines[start + 1..<index].map { $0.dropFirst(min(indentation, $0.prefix { $0 == " " }.count)) }))
        open = nil
      } else if text.hasPrefix("```") {
        open = (index, line.count - text.count)
      } else if line.hasPrefix("#") {
        heading = line.drop { $0 == "#" || $0 == " " }.filter { $0 != "`" }
      }
    }
    return blocks
  }
}
