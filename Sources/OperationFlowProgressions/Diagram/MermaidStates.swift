import OperationFlow

/// Writes a diagram as Mermaid text.
///
/// States have generated identifiers. Their names are in quotes, where only Mermaid's own codes have an effect.
struct MermaidStates {
  private var lines: [String] = []
  private var identifiers: [ProgressionDiagram.Node: String] = [:]
  private var stepCount = 0

  init(_ diagram: ProgressionDiagram) {
    for arrow in diagram.arrows {
      declare(arrow.from)
      declare(arrow.to)
    }
    for arrow in diagram.arrows {
      let count = diagram.counts[arrow] ?? 1
      let label = count > 1 ? " : \(count) times" : ""
      lines.append("  \(identifier(of: arrow.from)) --> \(identifier(of: arrow.to))\(label)")
    }
    for ending in [ProgressionDiagram.Ending.failed, .cancelled] where identifiers[.end(ending)] != nil {
      lines.append("  \(ending.rawValue) --> [*]")
    }
  }

  var text: String { (["stateDiagram-v2"] + lines).joined(separator: "\n") }

  private func identifier(of node: ProgressionDiagram.Node) -> String { identifiers[node] ?? "[*]" }

  private mutating func declare(_ node: ProgressionDiagram.Node) {
    guard identifiers[node] == nil else { return }
    let (identifier, name): (String, String)
    switch node {
    case .start, .end(.succeeded): return
    case .end(let ending): (identifier, name) = (ending.rawValue, ending.rawValue)
    case .leftOut: (identifier, name) = ("leftOut", "…")
    case .step(let step):
      (identifier, name) = ("s\(stepCount)", step)
      stepCount += 1
    }
    identifiers[node] = identifier
    lines.append("  state \"\(MermaidText.escaped(name))\" as \(identifier)")
  }
}
