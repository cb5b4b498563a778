import Foundation

/// A document, or the comments of a module, with what its code may use of others.
struct Document: CustomStringConvertible {
  let path: String
  let blocks: [CodeBlock]
  /// What it imports besides the core.
  let modules: Set<String>
  /// What stands before its code.
  let preface: String
  /// The blocks of others whose declarations it uses.
  let others: [CodeBlock]

  var description: String { path }
  /// The name of its file, without its ending.
  var name: String { URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent }
  var hasCode: Bool { blocks.contains(where: \.isSwift) }

  /// The modules besides the core.
  static let modules = [
    "OperationFlowDurable", "OperationFlowObservation", "OperationFlowProgressions", "OperationFlowReports",
    "OperationFlowStepFunctions",
    "OperationFlowTesting",
  ]
  /// All in Markdown that have code.
  static let documents = Result {
    try (["README.md"] + SourceTree.files(in: "Sources", ending: ".md") + SourceTree.files(in: "Docs", ending: ".md"))
      .map { try Document($0) }.filter(\.hasCode)
  }

  /// A document in Markdown, which imports the modules that it names, and uses what the articles declare that it names.
  init(_ path: String, text: String? = nil) throws {
    let text = try text ?? SourceTree.text(of: path)
    self.path = path
    blocks = CodeBlock.all(inMarkdown: text, of: path)
    modules = Set(Self.modules.filter { text.contains($0) || path.contains("/\($0)/") })
      .union(text.contains("@Test") ? ["Testing"] : [])
    let own = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    preface = try SourceTree.fixture("Given.swift") + ((try? SourceTree.fixture("Given/\(own).swift")) ?? "")
    // Such as: the keys are those of <doc:Groups>.
    others = try text.matches(of: #/(?:are|those|the key)\s(?:in|of)\s(?:<doc:(\w+)>|\*Getting started\*)/#).flatMap {
      let path = "Sources/OperationFlow/OperationFlow.docc/\($0.1 ?? "GettingStarted").md"
      return CodeBlock.all(inMarkdown: try SourceTree.text(of: path), of: path)
    }
  }

  /// The comments of a module's sources, which use what the fixture declares, and two well-known comments.
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

  /// The outputs that it shows: blocks of no language, and what is behind a `print`.
  var shownLines: [String] {
    blocks.flatMap { block in
      block.language.isEmpty
        ? block.lines.map(String.init).filter { !$0.isEmpty }
        : block.lines.compactMap { line in line.wholeMatch(of: #/print\(.*\)  \/\/ (.*)/#).map { String($0.1) } }
    }
  }
}
