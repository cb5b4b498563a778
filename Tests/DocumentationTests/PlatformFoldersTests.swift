import TestSupport
import Testing

/// Checks that code for particular platforms is in few files, so that it can be reviewed as a whole.
@Suite(.watched) struct PlatformFoldersTests {
  @Test func `only files of a folder Platform ask for the platform`() throws {
    let files = SourceTree.files(in: "Sources", ending: ".swift").filter { !$0.hasPrefix("Sources/flow-") }
    let (inside, outside) = (files.filter(Self.isInside), files.filter { !Self.isInside($0) })
    try #require(inside.count > 10 && outside.count > 100)
    for file in outside {
      #expect(Self.questions(in: try SourceTree.text(of: file)) == [], "move this to a folder Platform: \(file)")
    }
    let answers = try inside.map { Self.questions(in: try SourceTree.text(of: $0)).count }
    #expect(answers.reduce(0, +) > 10, "the questions are no longer found")
  }

  @Test(
    arguments: [
      ("#if canImport(Darwin)", true), ("  #if os(Linux)", true), ("#elseif canImport(Musl)", true),
      ("#if DEBUG && !canImport(UIKit)", true), ("#if arch(arm64_32)", true),
      ("#if targetEnvironment(simulator)", true), ("#if DEBUG", false), ("#if swift(>=6.3)", false),
      ("/// `#if canImport(Darwin)` is true", false),
      ("let text = \"#if os(Linux)\"", false),
    ])
  func `a question that is planted is found`(line: String, isFound: Bool) {
    #expect(Self.questions(in: "let one = 1\n" + line + "\n#endif\n").isEmpty == !isFound)
  }

  private static func isInside(_ file: String) -> Bool { file.contains("/Platform/") }

  /// Returns the lines whose condition depends on the platform.
  private static func questions(in text: String) -> [Substring] {
    text.split(separator: "\n").filter { line in
      // Excludes most lines at little cost: the pattern is slow.
      line.utf8.contains(UInt8(ascii: "#"))
        && line.contains(#/^\s*#(?:if|elseif)\b.*\b(?:canImport|os|arch|targetEnvironment)\(/#)
    }
  }
}
