import OperationFlow

/// Writes a diagram in Graphviz's language DOT.
struct GraphvizGraph {
  private(set) var text: String

  init(_ diagram: Diagram, name: String) {
    text = "digraph \(Self.quoted([name])) {\n"
    text += "  graph [fontname=\"Helvetica\", fontsize=11, labeljust=\"l\", style=\"rounded\", color=\"#868e96\"]\n"
    text += "  node [fontname=\"Helvetica\", fontsize=11, shape=box, style=\"filled\", fillcolor=\"#ffffff\"]\n"
    text += "  edge [fontname=\"Helvetica\", fontsize=10, color=\"#495057\"]\n"
    for part in diagram.parts {
      switch part {
      case .open(let id, let lines, let state, let isAlways):
        text += "  subgraph cluster_\(id) {\n  label=\(Self.quoted(lines))\n"
        text += "  style=\"rounded\(isAlways ? ",dashed" : "")\"\n"
        text += "  color=\"\(state.map { DiagramColors($0).stroke } ?? "#868e96")\"\n"
      case .close: text += "  }\n"
      case .shape(let id, let shape, let lines, let state):
        text += "  n\(id) [label=\(Self.quoted(lines)), \(shape.graphvizAttributes)"
        if let state {
          let colors = DiagramColors(state)
          text += ", fillcolor=\"\(colors.fill)\", color=\"\(colors.stroke)\""
        }
        text += "]\n"
      }
    }
    for arrow in diagram.arrows {
      var attributes = arrow.label.map { ["label=\(Self.quoted([$0]))"] } ?? []
      if arrow.isDashed { attributes.append("style=dashed") }
      let list = attributes.isEmpty ? "" : " [\(attributes.joined(separator: ", "))]"
      text += "  n\(arrow.from) -> n\(arrow.to)\(list)\n"
    }
    text += "}\n"
  }

  /// Returns the lines as a quoted string, in which control characters and Graphviz's codes have no effect.
  private static func quoted(_ lines: [String]) -> String {
    var text = "\""
    for (index, line) in lines.enumerated() {
      if index > 0 { text += "\\n" }
      for scalar in ValueText.cut(line, limit: 100).unicodeScalars {
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        // Graphviz decodes HTML entities in every label.
        case "&": text += "&amp;"
        default:
          let isSpace = scalar.properties.generalCategory == .control || scalar.properties.isWhitespace
          text.unicodeScalars.append(isSpace ? " " : scalar)
        }
      }
    }
    return text + "\""
  }
}

extension Diagram.Shape {
  fileprivate var graphvizAttributes: String {
    switch self {
    case .start, .end: "shape=box, style=\"rounded,filled\""
    case .step: "shape=box"
    case .closure: "shape=box, style=\"rounded,filled\""
    case .group: "shape=box, peripheries=2"
    case .cases: "shape=diamond"
    case .joint: "shape=circle, width=0.15, fixedsize=true"
    }
  }
}
