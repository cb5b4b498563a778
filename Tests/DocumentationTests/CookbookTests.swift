import Foundation
import TestSupport
import Testing

#if os(Linux)
  /// The programs of the cookbook: each compiles by itself, and prints what the block after it shows.
  @Suite(.watched, .disabled(if: Compiler.isSanitized)) struct CookbookTests {
    @Test(arguments: try CookbookProgram.all())
    func `a program of the cookbook does what is shown`(program: CookbookProgram) async throws {
      let output = try await Compiler.output(
        of: program.text, modules: program.modules, isScript: !program.isTest, statuses: [0, 1])
      let missing = missingLines(of: program.shownLines, in: output)
      #expect(missing.isEmpty, "It prints:\n\(output)")
      if program.isTest { #expect(output.contains(#/Test run with \d+ tests in 0 suites passed/#), "\(output)") }
    }

    @Test func `the programs are found, and are short`() throws {
      let programs = try CookbookProgram.all()
      #expect(programs.count > 10 && programs.contains(where: \.isTest))
      #expect(programs.count { !$0.shownLines.isEmpty } > 5)
      for program in programs { #expect(program.block.lines.count <= 60, "\(program)") }
    }
  }

  struct CookbookProgram: CustomStringConvertible {
    let block: CodeBlock
    /// The lines of the output after it.
    let shownLines: [String]

    var description: String { block.heading }
    var isTest: Bool { block.lines.contains { $0.hasPrefix("@Test") } }

    var text: String {
      let call = "exit(await Testing.__swiftPMEntryPoint() as CInt)"
      let runner = "@main struct Runner { static func main() async { \(call) } }"
      let lines = block.lines.map(String.init) + (isTest ? ["import Foundation", runner] : [])
      return lines.joined(separator: "\n") + "\n"
    }

    var modules: Set<String> {
      Document.linked(with: Set(Document.modules.filter { block.lines.contains("import \($0)") }))
    }

    static func all() throws -> [CookbookProgram] {
      let path = "Docs/Cookbook.md"
      let blocks = CodeBlock.all(inMarkdown: try SourceTree.text(of: path), of: path)
      return blocks.indices.filter { blocks[$0].isSwift }.map { index in
        let next = index + 1 < blocks.count && blocks[index + 1].language.isEmpty ? blocks[index + 1].lines : []
        return CookbookProgram(block: blocks[index], shownLines: next.map(String.init).filter { !$0.isEmpty })
      }
    }
  }
#endif
