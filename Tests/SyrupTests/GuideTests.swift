import Syrup
import TestSupport
import Testing

@Suite(.watched) struct GuideTests {
  @Test func `the guide's progression is run in every way that it shows`() async throws {
    let file = try SampleFile(#"{"title": "abc"}"#)
    let shown = await withCheckedContinuation { done in showTitle(of: file.url) { done.resume(returning: $0) } }
    #expect(shown == "abc")
    #expect(try await title(of: file.url) == "abc")
    #expect(try await titleAfterParsing(Data(#"{"title": "def"}"#.utf8)) == "def")
    #expect(try await stepCount(of: file.url) == 3)
    #expect(try await titles(of: [file.url, file.url]) == ["abc", "abc"])
  }

  @Test func `the guide's asynchronous step asks an actor`() async throws {
    #expect(try await Lookup.ask(Shelf(), index: 1).run() == "def")
  }

  @Test func `the guide shows the code that is compiled here`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(contentsOf: root.appendingPathComponent("Docs/ComingFromSyrup.md"), encoding: .utf8)
    let code = try String(
      contentsOf: root.appendingPathComponent("Tests/SyrupTests/Client/Guide.swift"), encoding: .utf8)
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 3)
    for block in blocks { #expect(code.contains(block)) }
  }
}
