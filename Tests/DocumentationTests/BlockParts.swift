import Foundation

/// The parts of a block of Swift that have different places in a file.
struct BlockParts {
  private(set) var imports: [Substring] = []
  /// What stays at the top level.
  private(set) var declarations: [Substring] = []
  /// What becomes the body of a function.
  private(set) var statements: [Substring] = []

  init(_ block: CodeBlock) {
    // Inputs and outputs are shown without the operation that declares them.
    if block.lines.first?.hasPrefix("@FlowInput") == true || block.lines.first?.hasPrefix("@FlowOutput") == true {
      declarations =
        ["final class `\(block.heading), \(block.line)`: FlowOperation, @unchecked Sendable {"] + block.lines + ["}"]
      return
    }
    for line in block.lines {
      if line.hasPrefix("import ") {
        imports.append(line)
        // The others keep their numbers.
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

  /// Whether it begins no declaration, and goes on with none.
  private func beginsStatements(_ line: Substring, isAlone: Bool) -> Bool {
    guard let first = line.first, !" })@#/".contains(first) else { return false }
    let words = line.split(separator: " ")
    guard words[0] == "let" else { return !Self.declarationWords.contains(words[0]) }
    // A constant is for all if it comes behind declarations, or stands alone.
    let isForAll = isAlone ? !["flow", "run", "outcome"].contains(words[1]) : declarations.contains { !$0.isEmpty }
    return !isForAll || words.contains("await") || words.contains("try")
  }

  /// Where it can be compiled, unless that is everywhere.
  private var condition: String? {
    func uses(_ name: String) -> Bool { declarations.contains { $0.contains(name) } }
    if uses("UIViewController") || uses("UIApplication") { return "canImport(UIKit) && !os(watchOS)" }
    return uses(": View {") ? "canImport(SwiftUI)" : nil
  }
}

extension CodeBlock {
  var parts: BlockParts { BlockParts(self) }
}
