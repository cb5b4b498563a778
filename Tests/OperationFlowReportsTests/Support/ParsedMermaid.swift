/// A parsed Mermaid flowchart, with the part of the grammar that diagrams of flows use.
struct ParsedMermaid {
  struct Arrow: Hashable {
    let from: String
    let to: String
    var label = ""
    var isDashed = false
  }

  /// The labels of shapes and boxes by identifier, as they are in the text.
  private(set) var labels: [String: String] = [:]
  private(set) var arrows: [Arrow] = []
  /// The classes by identifier.
  private(set) var classes: [String: String] = [:]
  /// The box that each shape and box is in.
  private(set) var boxes: [String: String] = [:]

  struct Unreadable: Error {
    let line: Substring
  }

  init(_ text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.first == "flowchart TD", lines.last == "" else { throw Unreadable(line: lines.first ?? "") }
    var open: [String] = []
    var defined: Set<String> = []
    for line in lines.dropFirst().dropLast() {
      if let match = line.wholeMatch(of: #/  subgraph (b[0-9]+)\["([^"\p{Cc}]*)"\]/#) {
        declare(String(match.1), String(match.2), in: open.last)
        open.append(String(match.1))
      } else if let match = line.wholeMatch(
        of: #/  (n[0-9]+)(\(\[|\[\[|\(\(|\[|\(|\{)"([^"\p{Cc}]*)"(\]\)|\]\]|\)\)|\]|\)|\})/#)
      {
        guard Self.closing[match.2] == match.4 else { throw Unreadable(line: line) }
        declare(String(match.1), String(match.3), in: open.last)
      } else if line == "  end" {
        guard open.popLast() != nil else { throw Unreadable(line: line) }
      } else if let match = line.wholeMatch(of: #/  (n[0-9]+) (-->|-\.->)(\|"([^"\p{Cc}]*)"\|)? (n[0-9]+)/#) {
        arrows.append(
          Arrow(
            from: String(match.1), to: String(match.5), label: match.4.map(String.init) ?? "",
            isDashed: match.2 == "-.->"))
      } else if let match = line.wholeMatch(
        of: #/  classDef ([a-zA-Z]+) (fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#[0-9a-f]{6}|stroke-dasharray:4)/#)
      {
        defined.insert(String(match.1))
      } else if let match = line.wholeMatch(of: #/  class ([nb0-9,]+) ([a-zA-Z]+)/#) {
        guard defined.contains(String(match.2)) else { throw Unreadable(line: line) }
        for name in match.1.split(separator: ",") { classes[String(name)] = String(match.2) }
      } else if line.wholeMatch(of: #/  direction TB/#) == nil {
        throw Unreadable(line: line)
      }
    }
    for name in arrows.flatMap({ [$0.from, $0.to] }) + classes.keys where labels[name] == nil {
      throw Unreadable(line: Substring(name))
    }
    if let box = open.last { throw Unreadable(line: Substring(box)) }
  }

  private static let closing: [Substring: Substring] = [
    "([": "])", "[[": "]]", "((": "))", "[": "]", "(": ")", "{": "}",
  ]

  private mutating func declare(_ name: String, _ label: String, in box: String?) {
    labels[name] = label
    boxes[name] = box
  }

  /// The identifier of the only shape or box whose first line is this.
  func named(_ name: String) -> String? {
    labels.filter { $0.value == name || $0.value.hasPrefix(name + "<br/>") }.map(\.key).min()
  }

  /// The labels of the shapes that arrows from one lead to.
  func next(after name: String) -> Set<String> {
    guard let own = named(name) else { return [] }
    return Set(arrows.filter { $0.from == own }.compactMap { firstLine($0.to) })
  }

  func firstLine(_ identifier: String) -> String? {
    labels[identifier].map { String($0.split(separator: "<br/>").first ?? "") }
  }
}
