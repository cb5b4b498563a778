import Foundation

/// A program that calls the functions of a document's code.
///
/// Its comments `// prints:` are outputs that the document doesn't show.
struct DocumentProgram: CustomStringConvertible {
  /// The name of the document, without its extension.
  let name: String
  private let path: String

  var description: String { name }

  static let all = SourceTree.files(in: "Tests/DocumentationTests/Fixtures/Programs", ending: ".swift").map {
    DocumentProgram(path: $0)
  }

  private init(path: String) {
    self.path = path
    name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
  }

  private var text: String { get throws { try SourceTree.text(of: path) } }

  var document: Document {
    get throws {
      let document = try Document.documents.get().first { $0.name == name }
      guard let document else { throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: name]) }
      return document
    }
  }

  var swift: String { get throws { try document.swift(program: text) } }

  /// The lines that the program has to print, among others.
  var expectedLines: [String] {
    get throws {
      let commented = try text.split(separator: "\n").compactMap { line in
        line.firstRange(of: "// prints: ").map { String(line[$0.upperBound...]) }
      }
      return try document.shownLines + commented
    }
  }
}
