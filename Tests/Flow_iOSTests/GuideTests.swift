import Flow_iOS
import TestSupport
import Testing

@Suite(.watched) struct GuideTests {
  @Test func `the guide's greeting runs with its block`() async {
    let flow = await withCheckedContinuation { continuation in
      greet(data: ["name": "Al"]) { flow in continuation.resume(returning: flow) }
    }
    #expect(flow.dataBucket["greeting"] as? String == "hello Al")
  }

  @Test func `the guide's mixed array keeps its elements`() {
    #expect((mixedArray().dataBucket["images"] as? [Any])?.count == 3)
  }

  @Test func `the guide's old and new styles mix in one flow`() async {
    let outcome = await welcome("Al")
    #expect(outcome.isSuccess)
    #expect(outcome.report.summary.contains("[WelcomeOp] hello Al!"))
  }

  @Test func `the guide shows the code that is compiled here`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(contentsOf: root.appendingPathComponent("Docs/ComingFromFlow-iOS.md"), encoding: .utf8)
    let code = try String(
      contentsOf: root.appendingPathComponent("Tests/Flow_iOSTests/Client/Guide.swift"), encoding: .utf8)
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count == 3)
    for block in blocks { #expect(code.contains(block)) }
  }
}
