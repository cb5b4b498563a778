import Foundation
import UploadServer

#if os(Linux)
  /// A program of the cookbook: a file of `flow-examples`, or the test that only the document has.
  struct CookbookProgram: CustomStringConvertible {
    static let document = "Docs/Cookbook.md"

    /// The path of the file, or that of the document.
    let path: String
    let description: String
    /// The whole program, as a user's package has it.
    let text: String
    /// The lines of the output after its block; none if the document only links to the file.
    let shownLines: [String]

    var isTest: Bool { text.contains("\n@Test") }

    /// Every program: the files, with the output that the document shows after them, and the test.
    static func all() throws -> [CookbookProgram] {
      let blocks = try blocks()
      return try files().map { file in
        let lines = blocks.first { $0.text == file.text }?.shownLines ?? []
        return CookbookProgram(path: file.path, description: file.description, text: file.text, shownLines: lines)
      } + blocks.filter(\.isTest)
    }

    static func files() throws -> [CookbookProgram] {
      try SourceTree.files(in: "Sources/flow-examples/Programs", ending: ".swift").map { path in
        let name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        let text = try SourceTree.text(of: path).replacing("\nenum \(name) {\n", with: "\n@main enum \(name) {\n")
        return CookbookProgram(path: path, description: name, text: text, shownLines: [])
      }
    }

    static func blocks() throws -> [CookbookProgram] {
      let blocks = CodeBlock.all(inMarkdown: try SourceTree.text(of: document), of: document)
      return blocks.indices.filter { blocks[$0].isSwift }.map { index in
        let next = index + 1 < blocks.count && blocks[index + 1].language.isEmpty ? blocks[index + 1].lines : []
        return CookbookProgram(
          path: document, description: blocks[index].heading, text: blocks[index].lines.joined(separator: "\n") + "\n",
          shownLines: next.map(String.init).filter { !$0.isEmpty })
      }
    }

    /// Builds the program by itself, and runs it; the one that uploads has a folder and a server on this machine.
    func output() async throws -> String {
      let call = "exit(await Testing.__swiftPMEntryPoint() as CInt)"
      let runner = "import Foundation\n@main struct Runner { static func main() async { \(call) } }\n"
      let program = text + (isTest ? runner : "")
      let modules = Document.linked(with: Set(Document.modules.filter { text.contains("import \($0)\n") }))
      guard description == "Upload" else {
        return try await Compiler.output(of: program, modules: modules, statuses: [0, 1])
      }
      var output = ""
      try await UploadSite.open(fileCount: 24, refusing: "photo-07.jpg", delaying: "photo-11.jpg") { site in
        output = try await Compiler.output(
          of: program, modules: modules, arguments: [site.folder.path, site.server.absoluteString], statuses: [1])
        try site.expectAllStored()
      }
      return output
    }
  }
#endif
