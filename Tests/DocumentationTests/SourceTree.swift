import Foundation

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

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// What tests read and don't compile as a part of their target.
  static func fixture(_ name: String) throws -> String { try text(of: "Tests/DocumentationTests/Fixtures/" + name) }
}
