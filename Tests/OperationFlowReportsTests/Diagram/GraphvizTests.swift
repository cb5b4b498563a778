import OperationFlow
import OperationFlowReports
import TestSupport
import Testing

@Suite(.watched)
struct GraphvizTests {
  @Test func `a graph has the arrows and boxes of the Mermaid flowchart`() async throws {
    for (_, record) in try await SampleRecords.all() {
      let (graph, chart) = (try ParsedGraph(record.dot), try ParsedMermaid(record.mermaid))
      #expect(graph.arrows.map { [$0.from, $0.to] } == chart.arrows.map { [$0.from, $0.to] })
      #expect(graph.arrows.map(\.isDashed) == chart.arrows.map(\.isDashed))
      #expect(graph.labels.count + graph.clusters.count == chart.labels.count)
    }
  }

  @Test func `names are read as they were given, with spaces for control characters`() throws {
    let name = "a \"b\" \\N \\ & &lt; <i> {x} é 🧨 -> ]"
    let graph = try ParsedGraph(Flow(name).add(name + "\n\u{0}\u{85}\u{2028}") { _ in }.blueprint.dot)
    #expect(graph.name == name)
    #expect(graph.labels["n0"] == name)
    #expect(graph.labels["n1"] == name + "    ")
  }

  @Test func `long names are cut`() throws {
    let graph = try ParsedGraph(Flow("f").add(String(repeating: "x", count: 5_000)) { _ in }.blueprint.dot)
    #expect(graph.labels["n1"] == String(repeating: "x", count: 100) + "…")
  }

  @Test func `a record shows states and durations`() throws {
    let graph = try ParsedGraph(SampleRecords.fixed.dot)
    #expect(graph.labels.values.contains("fetch\nsucceeded, 120 ms\nundone"))
    #expect(graph.clusters == ["Clean up\nalways runs\nsucceeded, 10 ms"])
  }
}
