import Foundation

/// The part of a document that this program writes: the tables between two marks.
struct FigureSection {
  private static let (start, end) = ("<!-- figures -->\n", "<!-- end of figures -->")

  /// The reason that a document wasn't changed.
  struct NoSection: Error, CustomStringConvertible {
    let file: String
    var description: String {
      "\(file) has no lines `<!-- figures -->` and `<!-- end of figures -->`, in this order: add them where the tables go."
    }
  }

  /// Replaces the text between the marks of a file.
  static func update(_ file: String, with tables: String) throws {
    let url = URL(fileURLWithPath: file)
    let text = try String(contentsOf: url, encoding: .utf8)
    guard let first = text.range(of: start), let last = text.range(of: end, range: first.upperBound..<text.endIndex)
    else { throw NoSection(file: file) }
    let updated = text.replacingCharacters(in: first.upperBound..<last.lowerBound, with: tables)
    try updated.write(to: url, atomically: true, encoding: .utf8)
  }
}
