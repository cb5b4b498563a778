import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Checks that every block of Swift can be pasted: its document, or an article that the document names, declares what
  /// it uses.
  @Suite(.watched, .disabled(if: Compiler.isSanitized)) struct DocumentationTests {
    /// The documents with programs are compiled by `PrintedOutputTests`.
    @Test(arguments: try Document.documents.get().filter { !$0.hasProgram })
    func `the code of a document compiles`(document: Document) async throws {
      let errors = try await Compiler.errors(in: document.swift())
      #expect(errors.isEmpty, "\(errors)")
    }

    @Test(arguments: ["OperationFlow"] + Document.modules)
    func `the code of a module's comments compiles`(module: String) async throws {
      let document = try Document(commentsOf: module)
      #expect(document.hasCode)
      let errors = try await Compiler.errors(in: document.swift())
      #expect(errors.isEmpty, "\(errors)")
    }

    @Test func `the documents are found`() throws {
      let paths = try Document.documents.get().map(\.path)
      for path in ["README.md", "Docs/Reports.md"] { #expect(paths.contains(path)) }
      #expect(paths.count { $0.contains(".docc/") } > 15)
    }

    /// Each block with the start of its error.
    ///
    /// The line number is that of the document.
    @Test(arguments: [
      ("let flow = Flow().add(NoSuchOp())", "Planted.md:4:23: error: cannot find 'NoSuchOp'"),
      (
        "final class PlantedOp: FlowOperation, @unchecked Sendable {\n  @FlowInput(.nothing) var nothing\n}",
        "Planted.md:5:15"
      ),
      ("print(outcome.raport)", "Planted.md:4:15: error: value of type 'FlowOutcome' has no member 'raport'"),
      ("struct Step {}\n\nflow.add(CountWordsOp())", "Planted.md:6:10: error: cannot find 'CountWordsOp'"),
    ])
    func `a mistake in a document is found`(code: String, expected: String) async throws {
      let text = "# A document\n\n```swift\n\(code)\n```\n"
      let errors = try await Compiler.errors(in: Document("Planted.md", text: text).swift())
      #expect(errors.contains(expected), "\(errors)")
    }

    @Test func `a document may use what an article declares that it names`() async throws {
      let text = "The keys are those of <doc:GettingStarted>.\n\n```swift\nflow.add(CountWordsOp())\n```\n"
      #expect(try await Compiler.errors(in: Document("Planted.md", text: text).swift()).isEmpty)
    }

    @Test func `code is found in comments`() {
      let comment = "  /// Text.\n  /// ```swift\n  /// one {\n  ///   two()\n  /// }\n  /// ```\n  func a() {}\n"
      let blocks = CodeBlock.all(inCommentsOf: comment, of: "Sources/A.swift")
      #expect(blocks.map(\.lines) == [["one {", "  two()", "}"]] && blocks.map(\.line) == [3])
    }
  }

  extension Document {
    #if os(Linux)
      fileprivate var hasProgram: Bool { DocumentProgram.all.contains { $0.name == name } || hasTests }
    #else
      // Programs are built on Linux only. On other platforms the compiler doesn't find the testing framework.
      fileprivate var hasProgram: Bool { hasTests }
    #endif

    // The programs of the cookbook are built one by one, those of others run as tests.
    private var hasTests: Bool { name == "Cookbook" || modules.contains("Testing") }
  }
#endif
