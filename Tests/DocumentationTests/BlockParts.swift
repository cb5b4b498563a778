import Foundation

/// The parts of a block of Swift, which belong in different places of a file.
struct BlockParts {
  private(set) var imports: [Substring] = []
  /// The lines at the top level of the file.
  private(set) var declarations: [Substring] = []
  /// The lines of the body of a function.
  private(set) var statements: [Substring] = []

  init(_ block: CodeBlock) {
    // Documents show inputs and outputs without the operation that declares them.
    if block.lines.first?.hasPrefix("@FlowInput") == true || block.lines.first?.hasPrefix("@FlowOutput") == true {
      declarations =
        ["final class `\(block.heading), \(block.line)`: FlowOperation, @unchecked Sendable {"] + block.lines + ["}"]
      return
    }
    for line in block.lines {
      if line.hasPrefix("import ") {
        imports.append(line)
        // An empty line, so that the other lines have the same numbers as in the block.
        declarations.append("")
      } else if statements.isEmpty && !beginsStatements(line, isAlone: block.lines.count == 1) {
        declarations.append(line)
      } else {
        statements.append(line)
      }
    }
    if let condition { declarations = ["#if \(condition)"] + declarations + ["#endif"] }
  }

  private static let declarationWords: Set<Substring> = [
    "extension", "struct", "enum", "class", "protocol", "actor", "func", "typealias", "final", "nonisolated",
  ]

  /// Returns true if the line neither begins nor continues a declaration.
  private func beginsStatements(_ line: Substring, isAlone: Bool) -> Bool {
    guard let first = line.first, !" })@#/".contains(first) else { return false }
    let words = line.split(separator: " ")
    guard words[0] == "let" else { return !Self.declarationWords.contains(words[0]) }
    // A constant is a declaration if it follows declarations, or stands alone.
    let isForAll = isAlone ? !["flow", "run", "outcome"].contains(words[1]) : declarations.contains { !$0.isEmpty }
    return !isForAll || words.contains("await") || words.contains("try")
  }

  /// The condition under which the declarations compile; `nil` if they compile everywhere.
  private var condition: String? {
    func uses(_ name: String) -> Bool { declarations.contains { $0.contains(name) } }
    if uses("UIViewController") || uses("UIApplication") { return "canImport(UIKit) && !os(watchOS)" }
    return uses(": View {") ? "canImport(SwiftUI)" : nil
  }
}

extension CodeBlock {
  var parts: BlockParts { BlockParts(self) }
}
