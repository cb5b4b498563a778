import Foundation
import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct ReadmeTests {
  @Test func `the first example prints what the text shows`() async throws {
    let print = Printer()
    await Readme.count(print: print)
    // Two items run at the same time, so their lines come in any order.
    let readme = try SourceTree.text(of: "README.md")
    let shown = try #require(readme.firstMatch(of: #/This prints:\n\n```\n((?:.*\n)*?)```\n/#)).1
    #expect(lines(String(shown)) == lines(print.texts.joined()), "It prints:\n\(print.texts.joined())")
  }

  @Test func `the second example finds the missing text, and counts`() async throws {
    let print = Printer()
    try await Readme.operation(print: print)
    let problem = "[error: 1. CountWordsOp: can't find <text> in data bucket: no step before writes it. "
    #expect(print.texts.first?.hasPrefix(problem) == true)
    #expect(print.texts.last == "6")
  }

  @Test func `the third example counts in the predecessor's style`() async throws {
    let print = Printer()
    Readme.start(print: print)
    let summary = try #require(await print.first()).withoutTimes
    #expect(summary.contains("[CountWordsOp] counted 6 words"))
    #expect(summary.hasSuffix("Flow isSuccess: true\n======    Ending    ======\n"))
  }

  private func lines(_ summary: String) -> [Substring] { summary.withoutTimes.split(separator: "\n").sorted() }
}
