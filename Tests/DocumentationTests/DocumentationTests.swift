import Foundation
import TestSupport
import Testing

/// What is in the source tree beside these tests.
enum SourceTree {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The files in a folder and below, as paths from the root.
  static func files(in folder: String, ending: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    let names = all?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(ending) }.sorted().map { folder + "/" + $0 }
  }

  /// Whether the page has the name of its documentation catalogue.
  private static func isLandingPage(_ path: String) -> Bool {
    let parts = path.split(separator: "/").suffix(2).map { $0.prefix { $0 != "." } }
    return parts.first == parts.last
  }

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The pages that group the members of a type have no code.
  static let articles = files(in: "Sources", ending: ".md")
    .filter { !isLandingPage($0) && !$0.contains("/Extensions/") }
  static let landingPages = files(in: "Sources", ending: ".md").filter(isLandingPage)
  static let documents = ["README.md"] + landingPages + articles + files(in: "Docs", ending: ".md")
  static let sources = files(in: "Sources", ending: ".swift")
  static let compiledCode = Result {
    CompiledCode(try files(in: "Tests", ending: ".swift").map(text))
  }
}

/// Every block of Swift in a document is compiled, word for word, in a file under `Tests`.
@Suite(.watched) struct DocumentationTests {
  @Test(arguments: SourceTree.documents)
  func `code in documents is compiled`(document: String) throws {
    try expectCompiled(CodeBlock.all(inMarkdown: SourceTree.text(of: document)), of: document)
  }

  @Test func `code in documentation comments is compiled`() throws {
    for source in SourceTree.sources {
      try expectCompiled(CodeBlock.all(inCommentsOf: SourceTree.text(of: source)), of: source)
    }
  }

  @Test func `the documents are found`() throws {
    #expect(try !CodeBlock.all(inMarkdown: SourceTree.text(of: "README.md")).isEmpty)
    #expect(SourceTree.articles.contains { $0.hasSuffix("/Progressions.md") })
    for article in SourceTree.articles {
      #expect(try !CodeBlock.all(inMarkdown: SourceTree.text(of: article)).isEmpty, "\(article) has no code.")
    }
  }

  @Test func `only the same lines one behind the other count as compiled`() {
    let code = CompiledCode(["func a() {\n    one()\n\n  two()\n}\n", "three()\n"])
    let expected = [
      "one()\ntwo()": true, "  one()\n\n    two()": true, "three()": true, "two()\none()": false,
      "one()\n}": false, "two()\n}\nthree()": false, "one": false, "four()": false,
    ]
    for (text, isCompiled) in expected {
      let blocks = CodeBlock.all(inMarkdown: "Text.\n\n```swift\n\(text)\n```\n\n```\nno Swift\n```\n")
      #expect(blocks.count == 1 && blocks.allSatisfy { code.holds($0) == isCompiled }, "\(text)")
    }
    let comment = "  /// Text.\n  /// ```swift\n  /// one()\n  ///   two()\n  /// ```\n  func a() {}\n"
    #expect(CodeBlock.all(inCommentsOf: comment).map(\.lines) == [["one()", "two()"]])
  }

  private func expectCompiled(_ blocks: [CodeBlock], of document: String) throws {
    let code = try SourceTree.compiledCode.get()
    for block in blocks where !block.isManifest && !code.holds(block) {
      Issue.record(
        """
        \(document), line \(block.line): the code that begins with "\(block.lines.first ?? "")" is compiled nowhere as \
        it stands. Put these lines, one behind the other, into a Swift file under Tests, such as one of \
        Tests/DocumentationTests, and keep both the same.
        """)
    }
  }
}
