import OperationFlow

/// Writes a diagram as a Mermaid flowchart.
///
/// Every box has its own identifier. Names are in quotes, with codes for all characters that could end the quotes.
struct MermaidFlowchart {
  private(set) var text = "flowchart TD\n"

  init(_ diagram: Diagram) {
    var members: [FlowRecord.State: [String]] = [:]
    var always: [String] = []
    for part in diagram.parts {
      switch part {
      case .open(let id, let lines, let state, let isAlways):
        text += "  subgraph b\(id)[\"\(Self.label(lines))\"]\n"
        // Without this line, Mermaid may lay out the box in another direction than the diagram.
        text += "  direction TB\n"
        if let state { members[state, default: []].append("b\(id)") }
        if isAlways { always.append("b\(id)") }
      case .close: text += "  end\n"
      case .shape(let id, let shape, let lines, let state):
        let (before, after) = shape.mermaidBrackets
        text += "  n\(id)\(before)\"\(Self.label(lines))\"\(after)\n"
        if let state { members[state, default: []].append("n\(id)") }
      }
    }
    for arrow in diagram.arrows {
      let line = arrow.isDashed ? "-.->" : "-->"
      let label = arrow.label.map { "|\"\(Self.label([$0]))\"|" } ?? ""
      text += "  n\(arrow.from) \(line)\(label) n\(arrow.to)\n"
    }
    define("always", "stroke-dasharray:4", always)
    for state in FlowRecord.State.allCases {
      let colors = DiagramColors(state)
      define(state.rawValue, "fill:\(colors.fill),stroke:\(colors.stroke),color:#212529", members[state] ?? [])
    }
  }

  /// Defines a style for some shapes, if there are any.
  private mutating func define(_ name: String, _ style: String, _ members: [String]) {
    if members.isEmpty { return }
    text += "  classDef \(name) \(style)\n"
    // Mermaid reads lines of any length, but some editors don't.
    for start in stride(from: 0, to: members.count, by: 20) {
      text += "  class \(members[start..<min(start + 20, members.count)].joined(separator: ",")) \(name)\n"
    }
  }

  /// Returns the lines as one label, with codes for all characters that Mermaid would read as Markdown.
  private static func label(_ lines: [String]) -> String {
    if lines.isEmpty { return " " }
    return lines.map { line in
      // Dots and hyphens make lists only before the first letter; underscores make emphasis anywhere.
      let head = line.unicodeScalars.prefix { !$0.properties.isAlphabetic }
      let rest = line.unicodeScalars.dropFirst(head.count)
      let start = head.isEmpty ? "" : MermaidText.escaped(String(head), keeping: " ")
      let end = rest.isEmpty && !head.isEmpty ? "" : MermaidText.escaped(String(rest), keeping: " -.,()…")
      return start + end
    }.joined(separator: "<br/>")
  }
}

extension Diagram.Shape {
  fileprivate var mermaidBrackets: (String, String) {
    switch self {
    case .start, .end: ("([", "])")
    case .step: ("[", "]")
    case .closure: ("(", ")")
    case .group: ("[[", "]]")
    case .cases: ("{", "}")
    case .joint: ("((", "))")
    }
  }
}
