import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct ProgressionDiagramTests {
  private let sent = """
    stateDiagram-v2
      state "packed" as s0
      state "sent" as s1
      state "signed" as s2
      state "delivered" as s3
      [*] --> s0
      s0 --> s1
      s1 --> s2
      s2 --> s3
      s3 --> [*]
    """

  @Test func `a run is drawn from its start to its end`() async throws {
    var diagram = ProgressionDiagram()
    #expect(try await Parcel.packed("a").run(drawing: &diagram) == "a!")
    #expect(diagram.mermaid == sent && diagram.description == sent)
    var collected = ProgressionDiagram()
    for try await step in Parcel.packed("a").steps { collected.reach(step) }
    #expect(collected == diagram)
  }

  @Test func `a flow's record draws the same`() async throws {
    let report = try await Flow().set(.parcel, to: .packed("a")).progress("send", from: .parcel).run().get()
    #expect(report.diagram(of: "send")?.mermaid == sent)
    #expect(report.diagram(of: "other") == nil)
    #expect(try await Flow().add("send") { _ in }.run().get().diagram(of: "send") == nil)
  }

  @Test func `repeated steps are one state with a count`() async throws {
    var diagram = ProgressionDiagram()
    _ = try await UpdatingCount(to: 3).run(drawing: &diagram)
    #expect(
      diagram.mermaid == """
        stateDiagram-v2
          state "UpdatingCount" as s0
          [*] --> s0
          s0 --> s0 : 3 times
          s0 --> [*]
        """)
    _ = try await UpdatingCount(to: 1).run(drawing: &diagram)
    #expect(diagram.mermaid.hasSuffix("[*] --> s0 : 2 times\n  s0 --> s0 : 4 times\n  s0 --> [*] : 2 times"))
  }

  @Test func `a failure is marked where it happened`() async {
    let expected = """
      stateDiagram-v2
        state "packed" as s0
        state "sent" as s1
        state "failed" as failed
        [*] --> s0
        s0 --> s1
        s1 --> failed
        failed --> [*]
      """
    await Parcel.$work.withValue({ if $0 == "sent" { throw TestError() } }) {
      var diagram = ProgressionDiagram()
      await #expect(throws: TestError.self) { try await Parcel.packed("a").run(drawing: &diagram) }
      #expect(diagram.mermaid == expected)
      let report = await Flow().progress("send") { _ in Parcel.packed("a") }.run().report
      #expect(report.diagram(of: "send")?.mermaid == expected)
    }
  }

  @Test func `a cancellation is marked where it happened`() async {
    await Parcel.$work.withValue({ if $0 == "sent" { throw CancellationError() } }) {
      var diagram = ProgressionDiagram()
      await #expect(throws: CancellationError.self) { try await Parcel.packed("a").run(drawing: &diagram) }
      #expect(diagram.mermaid.contains("\n  s1 --> cancelled\n  cancelled --> [*]"))
    }
    let flow = Flow()
    let report = await Parcel.$work.withValue({ if $0 == "sent" { flow.cancel() } }) {
      await flow.progress("send") { _ in Parcel.packed("a") }.run().report
    }
    // The running step is not interrupted: it ends, and the run is cancelled after it.
    #expect(report.diagram(of: "send")?.mermaid.contains("s2 --> cancelled\n  cancelled --> [*]") == true)
  }

  @Test func `the items of a group are drawn apart or together`() async throws {
    let parcels: [Parcel] = [.packed("a"), .signed("b", by: 1), .packed("c")]
    let report = try await Flow().set(.parcels, to: parcels).forEach(.parcels, width: 2).run().get()
    #expect(report.diagram(of: "parcels", item: 0)?.mermaid == sent)
    #expect(report.diagram(of: "parcels", item: 3) == nil)
    let together = try #require(report.diagram(of: "parcels")?.mermaid)
    #expect(together.components(separatedBy: "\n").count == 11)
    for label in ["[*] --> s", " : 2 times", " : 3 times"] { #expect(together.contains(label)) }
  }

  @Test func `what a record has left out is no arrow between what is left`() async throws {
    let report = try await Flow().recording(.bounded(first: 4, last: 4))
      .progress("mixed") { _ in Loop(step: 0) }.run().get()
    let diagram = try #require(report.diagram(of: "mixed")?.mermaid)
    #expect(diagram.contains("state \"…\" as leftOut"))
    #expect(diagram.components(separatedBy: " --> leftOut").count == 2)
    #expect(diagram.components(separatedBy: "leftOut --> ").count == 2)
  }

  @Test func `names can't break the diagram`() async throws {
    struct Odd: Progression {
      let stepName: String
      var result: Int? { 1 }
    }
    for (name, text) in [
      "a\"b": "a#34;b", "x#quot;y": "x#35;quot#59;y", "one\ntwo": "one two",
      "%%{init}%%": "#37;#37;#123;init#125;#37;#37;",
      "": "(no name)", "größer_2 - (a.b)": "größer_2 - (a.b)", "a:b;c": "a#58;b#59;c", "<b>&`": "#60;b#62;#38;#96;",
      "\u{1}": " ", "日本": "日本", "state \"x\" as s1": "state #34;x#34; as s1",
    ] {
      var diagram = ProgressionDiagram()
      diagram.reach(Odd(stepName: name))
      #expect(diagram.mermaid == "stateDiagram-v2\n  state \"\(text)\" as s0\n  [*] --> s0\n  s0 --> [*]")
    }
    var diagram = ProgressionDiagram()
    diagram.reach(Odd(stepName: String(repeating: "a", count: 1_000_000)))
    #expect(diagram.mermaid.count < 200)
  }

  @Test func `nothing is drawn of nothing`() {
    #expect(ProgressionDiagram().mermaid == "stateDiagram-v2")
  }

  /// Runs a thousand steps with three names.
  private struct Loop: Progression {
    var step: Int
    var stepName: String { "step \(step % 3)" }
    var result: Int? { step == 1_000 ? step : nil }
    mutating func updateOrDeferNext() throws -> Deferred<Loop>? {
      step += 1
      return nil
    }
  }
}
