/// A graph that was parsed from Graphviz's language, with the part of the grammar that diagrams of flows use.
struct ParsedGraph {
  private enum Token: Equatable {
    case word(String)
    case text(String)
    case mark(String)
  }

  struct Arrow: Hashable {
    let from: String
    let to: String
    let label: String?
    let isDashed: Bool
  }

  struct Unreadable: Error {
    let place: String
  }

  private(set) var name = ""
  /// The labels of the nodes, with character codes decoded.
  private(set) var labels: [String: String] = [:]
  private(set) var clusters: [String] = []
  private(set) var arrows: [Arrow] = []

  private var tokens: ArraySlice<Token>

  init(_ text: String) throws {
    tokens = try Self.tokens(text)[...]
    guard take() == .word("digraph"), case .text(let name) = take(), take() == .mark("{") else {
      throw Unreadable(place: "the beginning")
    }
    self.name = name
    var depth = 1
    while depth > 0 {
      switch take() {
      case .mark("}"): depth -= 1
      case .word("subgraph"):
        guard case .word(let name) = take(), name.hasPrefix("cluster_"), take() == .mark("{") else {
          throw Unreadable(place: "a subgraph")
        }
        depth += 1
      case .word(let word): try statement(word)
      case .text, .mark, nil: throw Unreadable(place: "a statement")
      }
    }
    guard tokens.isEmpty else { throw Unreadable(place: "the end") }
    for node in arrows.flatMap({ [$0.from, $0.to] }) where labels[node] == nil { throw Unreadable(place: node) }
  }

  private mutating func take() -> Token? { tokens.popFirst() }

  private mutating func statement(_ word: String) throws {
    switch tokens.first {
    case .mark("="):
      _ = take()
      guard case .text(let value) = take() else { throw Unreadable(place: word) }
      if word == "label" { clusters.append(value) }
    case .mark("->"):
      _ = take()
      guard case .word(let to) = take() else { throw Unreadable(place: word) }
      let attributes = tokens.first == .mark("[") ? try attributes() : [:]
      arrows.append(
        Arrow(from: word, to: to, label: attributes["label"], isDashed: attributes["style"] == "dashed"))
    case .mark("["):
      let attributes = try attributes()
      if !["graph", "node", "edge"].contains(word) { labels[word] = attributes["label"] ?? "" }
    default: throw Unreadable(place: word)
    }
  }

  private mutating func attributes() throws -> [String: String] {
    var found: [String: String] = [:]
    guard take() == .mark("[") else { throw Unreadable(place: "attributes") }
    while true {
      guard case .word(let key) = take(), take() == .mark("=") else { throw Unreadable(place: "an attribute") }
      switch take() {
      case .word(let value), .text(let value): found[key] = value
      case .mark, nil: throw Unreadable(place: key)
      }
      switch take() {
      case .mark(","): continue
      case .mark("]"): return found
      default: throw Unreadable(place: key)
      }
    }
  }

  private static func tokens(_ text: String) throws -> [Token] {
    var (tokens, rest) = ([Token](), text.unicodeScalars[...])
    while let first = rest.popFirst() {
      switch first {
      case " ", "\n": continue
      case "{", "}", "[", "]", "=", ",": tokens.append(.mark(String(first)))
      case "-":
        guard rest.popFirst() == ">" else { throw Unreadable(place: "an arrow") }
        tokens.append(.mark("->"))
      case "\"": tokens.append(.text(try quoted(&rest)))
      default:
        var word = String(first)
        while let next = rest.first, next == "_" || next == "." || next.properties.isAlphabetic || ("0"..."9") ~= next {
          word.unicodeScalars.append(next)
          rest.removeFirst()
        }
        tokens.append(.word(word))
      }
    }
    return tokens
  }

  private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws -> String {
    var text = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\"":
        guard text.replacing("&amp;", with: "").firstIndex(of: "&") == nil else {
          throw Unreadable(place: "an entity in \(text)")
        }
        return text.replacing("&amp;", with: "&")
      case "\\":
        switch rest.popFirst() {
        case "n": text += "\n"
        case "\"": text += "\""
        case "\\": text += "\\"
        default: throw Unreadable(place: "a code in \(text)")
        }
      default:
        guard scalar.properties.generalCategory != .control else { throw Unreadable(place: "a control in \(text)") }
        text.unicodeScalars.append(scalar)
      }
    }
    throw Unreadable(place: "a string that isn't closed")
  }
}
