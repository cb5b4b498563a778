import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// The code of the documents, run: it prints what they show.
  @Suite(.watched, .disabled(if: Compiler.isSanitized)) struct PrintedOutputTests {
    @Test(arguments: DocumentProgram.all)
    func `a document's code prints what the document shows`(program: DocumentProgram) async throws {
      let output = try await Compiler.output(of: program.swift, modules: program.document.linkedModules)
      let missing = try missingLines(of: program.expectedLines, in: output)
      #expect(missing.isEmpty, "It prints:\n\(output)")
    }

    @Test(arguments: [
      "OperationFlow/OperationFlow.docc/Testing",
      "OperationFlowProgressions/OperationFlowProgressions.docc/Progressions",
    ])
    func `the tests of an article pass`(article: String) async throws {
      let document = try Document("Sources/\(article).md")
      let program = "exit(await Testing.__swiftPMEntryPoint() as CInt)"
      let output = try await Compiler.output(of: document.swift(program: program), modules: document.linkedModules)
      let count = document.blocks.count { $0.lines.contains { $0.hasPrefix("@Test") } }
      #expect(count > 0 && output.contains("Test run with \(count) tests in 0 suites passed"), "\(output)")
    }

    @Test func `every document that shows an output has a program`() throws {
      let names = Set(DocumentProgram.all.map(\.name))
      // The tests of reports compare the forms of reports.
      for document in try Document.documents.get() where !document.path.hasPrefix("Docs/") {
        #expect(document.shownLines.isEmpty || names.contains(document.name))
      }
    }

    @Test func `a line that is not printed is missing`() {
      #expect(missingLines(of: ["a", "…", "b … d", "1:02:03 PM c"], in: "b x d\n2:00:00 AM c\na\n").isEmpty)
      #expect(missingLines(of: ["a", "a", "b … d"], in: "a\nb c\n") == ["a", "b … d"])
      #expect(missingLines(of: ["a: 1.5 s, 2 tried"], in: "a: 830 µs, 2 tried").isEmpty)
      #expect(missingLines(of: ["a: 1.5 s, 2 tried"], in: "a: 830 µs, 3 tried").count == 1)
    }
  }
#endif
