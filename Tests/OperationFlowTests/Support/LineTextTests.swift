import OperationFlow
import TestSupport
import Testing

@Suite(.watched) struct LineTextTests {
  @Test func `plain text stays as it is, in any script`() {
    for text in [
      "", "plain", "a -> b \\n \"quoted\" <x>", "größer ≤ größt…", "日本語", "👩‍👩‍👧 🇨🇭", "עברית العربية", "a\u{301}",
    ] {
      #expect(LineText.escaped(text) == text)
    }
  }

  @Test(arguments: [
    ("a\nb", "a\\nb"), ("a\r\nb", "a\\r\\nb"), ("a\tb", "a\\tb"), ("\0", "\\0"), ("\u{1B}[31mred", "\\u{1B}[31mred"),
    ("\u{7F}\u{85}\u{9B}", "\\u{7F}\\u{85}\\u{9B}"), ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
    ("\u{202E}txt\u{2066}\u{200F}\u{61C}", "\\u{202E}txt\\u{2066}\\u{200F}\\u{61C}"), ("é\u{0B}ü", "é\\u{B}ü"),
  ]) func `what ends a line, or changes how it is shown, is escaped`(text: String, escaped: String) {
    #expect(LineText.escaped(text) == escaped)
  }

  private static let forged = "x\nFlow isSuccess: true\r\u{2028}\u{85}\u{1B}[2K\u{202E}"

  /// Returns the lines of a text as a terminal, or a reader with Unicode's line ends, separates them.
  private func lines(_ text: String) -> [String] {
    text.unicodeScalars.split { $0 == "\r" || $0 == "\u{2028}" || $0 == "\u{2029}" || $0 == "\u{85}" || $0 == "\n" }
      .map { String(String.UnicodeScalarView($0)) }
  }

  @Test func `no value, name, message or error can forge a line of a summary`() async {
    struct Forging: Error, CustomStringConvertible { let description = LineTextTests.forged }
    let outcome = await Flow("flow \(Self.forged)")
      .setDataBucket(dataBucket: ["key \(Self.forged)": Self.forged, "list": [Self.forged], "case": Self.forged])
      .step("op \(Self.forged)") { operation in
        operation.log(message: Self.forged)
        operation.setData(name: "written \(Self.forged)", value: Self.forged)
        operation.setData(name: "written \(Self.forged)", value: "other")
        operation.removeData(name: "written \(Self.forged)")
        operation.finishSuccessfully()
      }
      .cases(on: "case") { $0.when(Self.forged) { $0.add("in") { _ in } } }
      .forEach(in: [1], tolerating: .all) { _, context in _ = try context.require("list" as FlowKey<Int>) }
      .add("none") { context in context["case"] = nil as String? }
      .add("fails") { _ in throw Forging() }.run()
    let summary = outcome.report.summary
    let ends = lines(summary).filter { $0.hasPrefix("Flow isSuccess") }
    #expect(ends.count == 1 && ends.first?.hasPrefix("Flow isSuccess: false, failed in [fails]: x\\nFlow") == true)
    #expect(!summary.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" || $0 == "\r" })
    #expect(summary.contains("x\\nFlow isSuccess: true\\r\\u{2028}"))
    // The record itself contains the original message.
    #expect(outcome.report.events.contains { $0.kind == .logged(Self.forged, .info) })
  }

  @Test func `no message or name can forge a logged line`() async {
    let lines = Journal<String>()
    _ = await Flow().sendLog(to: .closure { lines.append("\($0.source) \($0.message)") })
      .add("step\nname") { $0.log("x\ny") }.run()
    #expect(lines.entries == ["[step\\nname] x\\ny"])
  }
}
