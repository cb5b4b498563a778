import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// The programs of the cookbook: each compiles by itself, and prints what the document shows.
  @Suite(.watched, .disabled(if: Compiler.isSanitized)) struct CookbookTests {
    @Test(arguments: try CookbookProgram.all())
    func `a program of the cookbook compiles alone, and prints what is shown`(program: CookbookProgram) async throws {
      let output = try await program.output()
      let missing = missingLines(of: program.shownLines, in: output)
      #expect(missing.isEmpty, "It prints:\n\(output)")
      if program.isTest { #expect(output.contains(#/Test run with \d+ tests in 0 suites passed/#), "\(output)") }
    }

    @Test func `each block of the cookbook is a program's file, and each file is shown or linked`() throws {
      let files = try CookbookProgram.files()
      let blocks = try CookbookProgram.blocks().filter { !$0.isTest }
      for block in blocks {
        #expect(files.contains { $0.text == block.text }, "\(block) isn't the file of a program, with @main")
      }
      let document = try SourceTree.text(of: CookbookProgram.document)
      for file in files {
        let isShown = blocks.contains { $0.text == file.text }
        #expect(isShown || document.contains("](../\(file.path))"), "\(file) is neither shown nor linked")
      }
    }

    @Test func `the programs are found, are short, and import the library alone`() throws {
      let programs = try CookbookProgram.all()
      #expect(programs.count > 20 && programs.contains(where: \.isTest))
      #expect(programs.count { !$0.shownLines.isEmpty } > 8)
      let modules = Set(Document.modules + ["Foundation", "FoundationNetworking", "OperationFlow", "Testing"])
      for program in programs {
        #expect(program.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 61, "\(program)")
        let imports = program.text.matches(of: #/(?m)^ *(?:@\w+ )*import (\w+)/#).map { String($0.1) }
        #expect(modules.isSuperset(of: imports) && !program.text.contains("package "), "\(program)")
      }
    }
  }
#endif
