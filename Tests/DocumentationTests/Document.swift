import Foundation

/// A document, or the comments of a module, and the declarations of others that its code may use.
struct Document: CustomStringConvertible {
  let path: String
  let blocks: [CodeBlock]
  /// The modules that the code imports besides the core.
  let modules: Set<String>
  /// The code before the document's own.
  let preface: String
  /// The blocks of other documents whose declarations the code uses.
  let others: [CodeBlock]

  var description: String { path }
  /// The name of the document's file, without its extension.
  var name: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }
  var hasCode: Bool { blocks.contains(where: \.isSwift) }

  /// The modules besides the core.
  static let modules = [
    "OperationFlowDurable", "OperationFlowObservation", "OperationFlowProgressions", "OperationFlowReports",
    "OperationFlowStepFunctions",
    "OperationFlowTesting",
  ]
  /// The Markdown documents that contain code.
  static let documents = Result {
    try (["README.md"] + SourceTree.files(in: "Sources", ending: ".md") + SourceTree.files(in: "Docs", ending: ".md"))
      .map { try Document($0) }.filter(\.hasCode)
  }

  /// Reads a document in Markdown.
  ///
  /// The document imports the modules that it names, and uses the declarations of the articles that it names.
  init(_ path: String, text: String? = nil) throws {
    let text = try text ?? SourceTree.text(of: path)
    self.path = path
    blocks = CodeBlock.all(inMarkdown: text, of: path)
    modules = Set(Self.modules.filter { text.contains($0) || path.contains("/\($0)/") })
      .union(text.contains("@Test") ? ["Testing"] : [])
    let own = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    preface = try SourceTree.fixture("Given.swift") + ((try? SourceTree.fixture("Given/\(own).swift")) ?? "")
    // For example: "the keys are those of <doc:Groups>".
    others = try text.matches(of: #/(?:are|those|the key)\s(?:in|of)\s(?:<doc:(\w+)>|\*Getting started\*)/#).flatMap {
      let path = "Sources/OperationFlow/OperationFlow.docc/\($0.1 ?? "GettingStarted").md"
      return CodeBlock.all(inMarkdown: try SourceTree.text(of: path), of: path)
    }
  }

  /// Reads the comments of a module's sources.
  ///
  /// They use the fixture's declarations, and the blocks in the comments of two well-known types.
  init(commentsOf module: String) throws {
    func blocks(of path: String) throws -> [CodeBlock] {
      CodeBlock.all(inCommentsOf: try SourceTree.text(of: path), of: path)
    }
    path = "Sources/" + module
    self.blocks = try SourceTree.files(in: path, ending: ".swift").flatMap(blocks)
    modules = Set(Self.modules)
    preface = try SourceTree.fixture("Given.swift") + SourceTree.fixture("Comments.swift")
    let shared = ["OperationFlow/Bucket/FlowKey.swift", "OperationFlowProgressions/Progression/Progression.swift"]
    others = try shared.filter { !$0.hasPrefix(module + "/") }.flatMap { try blocks(of: "Sources/" + $0) }
  }

  /// The shown outputs: the blocks without a language, and the comments after a `print`.
  var shownLines: [String] {
    blocks.flatMap { block in
      block.language.isEmpty
        ? block.lines.map(String.init).filter { !$0.isEmpty }
        : block.lines.compactMap { line in line.wholeMatch(of: #/print\(.*\)  \/\/ (.*)/#).map { String($0.1) } }
    }
  }
}
