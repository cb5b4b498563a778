import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct MermaidTests {
  @Test func `a flow that has not run is drawn with its branches, its flows and what always runs at the end`() throws {
    let chart = try ParsedMermaid(SampleFlows().everyKind.blueprint.mermaid)
    #expect(chart.next(after: "Publish") == ["fetch"])
    #expect(chart.next(after: "skipped") == ["Cases"])
    let cases = chart.arrows.filter { $0.label == "target#61;web" }.compactMap { chart.firstLine($0.to) }
    #expect(cases == ["render"])
    #expect(chart.next(after: "encode") == ["square"])
    #expect(chart.next(after: "complain") == ["square"])
    #expect(chart.next(after: "deep") == ["close"])
    #expect(chart.next(after: "close") == ["end"])
    #expect(chart.named("Clean up").map { chart.boxes[$0] } == .some(nil))
    #expect(chart.named("close").flatMap { chart.boxes[$0] } == chart.named("Clean up"))
    #expect(chart.named("deep").flatMap { chart.boxes[$0] } == chart.named("inner"))
    #expect(!chart.arrows.contains { $0.isDashed })
    #expect(Array(chart.classes.values) == ["always"])
  }

  @Test func `parallel branches leave one joint and meet in another`() throws {
    let chart = try ParsedMermaid(SampleFlows().everyKind.blueprint.mermaid)
    let (left, right) = (chart.arrows.filter { $0.label == "left" }, chart.arrows.filter { $0.label == "right" })
    #expect(left.compactMap { chart.firstLine($0.to) } == ["one"])
    #expect(right.compactMap { chart.firstLine($0.to) } == ["two"])
    #expect(left.map(\.from) == right.map(\.from))
    func ends(_ name: String) -> [String] { chart.arrows.filter { $0.from == chart.named(name) }.map(\.to) }
    #expect(ends("one") == ends("two") && ends("one").count == 1)
  }

  @Test func `a box shows the options and the width of a step`() throws {
    let text = SampleFlows().everyKind.blueprint.mermaid
    #expect(text.contains("[\"operate<br/>SampleOp\"]"))
    #expect(text.contains("(\"fetch<br/>can be undone\")"))
    #expect(text.contains("(\"skipped<br/>on a condition\")"))
    #expect(text.contains("[[\"square<br/>each item, at most 2 at once<br/>may be tried again\"]]"))
    #expect(text.contains("[\"Clean up<br/>always runs\"]"))
  }

  @Test func `a record shows states, durations, attempts and counts`() throws {
    let text = try SampleRecords.fixed.mermaid
    #expect(text.contains("(\"fetch<br/>succeeded, 120 ms<br/>undone\")"))
    #expect(text.contains("failed, 420 ms<br/>2 of 3 succeeded, 1 failed"))
    let chart = try ParsedMermaid(text)
    #expect(chart.named("announce").flatMap { chart.classes[$0] } == "neverRan")
    #expect(chart.named("resize").flatMap { chart.classes[$0] } == "succeeded")
    #expect(chart.named("failed, 700 ms").flatMap { chart.classes[$0] } == "failed")
  }

  @Test func `arrows that the run did not follow are dashed`() throws {
    let chart = try ParsedMermaid(SampleRecords.fixed.mermaid)
    func isDashed(_ from: String, _ to: String) -> Bool? {
      chart.arrows.first { $0.from == chart.named(from) && $0.to == chart.named(to) }?.isDashed
    }
    #expect(isDashed("Publish", "fetch") == false)
    #expect(isDashed("Cases", "resize") == false)
    #expect(isDashed("Cases", "keep") == true)
    #expect(isDashed("resize", "upload") == false)
    #expect(isDashed("keep", "upload") == true)
    #expect(isDashed("upload", "announce") == true)
    #expect(isDashed("close", "failed, 700 ms") == false)
  }

  @Test func `cases that aren't combined go on in the last branch`() throws {
    let chart = try ParsedMermaid(SampleFlows().openCases.blueprint.mermaid)
    #expect(chart.next(after: "film") == ["after"])
    #expect(chart.next(after: "web") == ["end"])
  }

  @Test func `what always runs is drawn in the order in which it runs`() async throws {
    let inner = Flow("inner").add("deep") { _ in }.always("inner end") { $0.add("close inner") { _ in } }
    let flow = Flow("outer").always("outer end") { $0.add("close outer") { _ in } }.add(flow: inner)
    let record = await flow.run().report.record
    let started = record.events.filter { $0.kind == .started }.map(\.source.name)
    #expect(started.suffix(2) == ["outer end", "close outer"])
    for text in [flow.blueprint.mermaid, record.mermaid] {
      let chart = try ParsedMermaid(text)
      #expect(chart.next(after: "deep") == ["close inner"])
      #expect(chart.next(after: "close inner") == ["close outer"])
    }
  }

  @Test func `a group of many items is one box with counts`() async throws {
    let text = await SampleFlows().items(1_000).run().report.record.mermaid
    #expect(text.contains("900 of 1000 succeeded, 100 failed") || text.contains("900 succeeded, 100 failed"))
    #expect(text.count < 1_000)
  }

  @Test func `a run that is under way has an open end`() async throws {
    let record = await SampleFlows().failing.run().report.record
    let chart = try ParsedMermaid(SampleRecords.live(record, events: 4).mermaid)
    let end = try #require(chart.named("under way"))
    #expect(chart.arrows.allSatisfy { $0.to != end || $0.isDashed })
  }

  @Test func `names with any character break no line and no string`() async throws {
    let flows = SampleFlows(naming: SampleRecords.nasty)
    let shapes = try ParsedMermaid(SampleFlows().everyKind.blueprint.mermaid).labels.count
    #expect(try ParsedMermaid(flows.everyKind.blueprint.mermaid).labels.count == shapes)
    for flow in [flows.everyKind, flows.failing, flows.openCases] {
      _ = try await ParsedMermaid(flow.run().report.record.mermaid)
    }
  }

  @Test(arguments: ["1. one", "- one", "* one", "_one_", "`one`", "3) one", "**", "#quot;", "+ a"])
  func `Markdown and codes in names stay text`(name: String) throws {
    let label = try #require(
      try ParsedMermaid(Flow("f").add(name) { _ in }.blueprint.mermaid).labels["n1"])
    let codes = label.matches(of: #/#([0-9]+);/#)
    let read = codes.reversed().reduce(label) { text, code in
      let scalar = UInt32(code.1).flatMap(Unicode.Scalar.init).map { String(Character($0)) } ?? ""
      return text.replacingCharacters(in: code.range, with: scalar)
    }
    #expect(read == name)
    let plain = label.replacing(#/#[0-9]+;/#, with: "")
    #expect(!plain.contains { "`*_#+".contains($0) } && plain.firstMatch(of: #/^ *[0-9]*[-.)]/#) == nil)
  }

  @Test func `10,000 flows within each other are drawn without recursion`() throws {
    let text = SampleRecords.nested(10_000).blueprint.mermaid
    let lines = text.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("  subgraph ") } == 10_000)
    #expect(lines.count { $0 == "  end" } == 10_000)
    #expect(lines.allSatisfy { $0.utf8.count < 100 })
  }

  @Test func `cases with many branches meet in a joint`() throws {
    let flow = Flow("f").cases(on: FlowKey<Int>("number")) { cases in
      for number in 0..<20 { cases.when(number) { $0.add("take \(number)") { _ in } } }
    }.add("after") { _ in }
    let chart = try ParsedMermaid(flow.blueprint.mermaid)
    #expect(chart.arrows.count == 43)
    #expect(chart.arrows.filter { $0.to == chart.named("after") }.count == 1)
  }
}
