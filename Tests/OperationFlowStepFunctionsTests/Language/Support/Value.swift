import Foundation

/// A JSON value, for comparisons in tests.
enum Value: Sendable, Equatable, Encodable {
  case null
  case boolean(Bool)
  case number(Double)
  case text(String)
  case array([Value])
  case object([String: Value])

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .boolean(let value): try container.encode(value)
    case .number(let value):
      if let whole = Int(exactly: value) { try container.encode(whole) } else { try container.encode(value) }
    case .text(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// Reads JSON.
  ///
  /// A decoder, which has to try every type for each value, is ten times as slow.
  init(_ data: Data) throws {
    var reader = ValueReader(json: Array(data))
    self = try reader.value()
    try reader.end()
  }

  var data: Data { (try? JSONEncoder().encode(self)) ?? Data() }

  subscript(_ name: String) -> Value? {
    get { if case .object(let members) = self { members[name] } else { nil } }
    set {
      guard case .object(var members) = self else { return }
      members[name] = newValue
      self = .object(members)
    }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var number: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
  var elements: [Value]? { if case .array(let elements) = self { elements } else { nil } }
  var members: [String: Value]? { if case .object(let members) = self { members } else { nil } }
  var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
}

/// A parser of JSON.
private struct ValueReader {
  struct Problem: Error {
    let place: Int
  }

  let json: [UInt8]
  var place = 0

  private mutating func next() -> UInt8? {
    while place < json.count, json[place] <= 0x20 { place += 1 }
    return place < json.count ? json[place] : nil
  }

  private mutating func take(_ byte: UInt8) throws {
    guard next() == byte else { throw Problem(place: place) }
    place += 1
  }

  mutating func end() throws { if next() != nil { throw Problem(place: place) } }

  mutating func value() throws -> Value {
    switch next() {
    case UInt8(ascii: "{"):
      var members: [String: Value] = [:]
      try list(UInt8(ascii: "}")) { reader in
        let name = try reader.text()
        try reader.take(UInt8(ascii: ":"))
        members[name] = try reader.value()
      }
      return .object(members)
    case UInt8(ascii: "["):
      var elements: [Value] = []
      try list(UInt8(ascii: "]")) { elements.append(try $0.value()) }
      return .array(elements)
    case UInt8(ascii: "\""): return .text(try text())
    default:
      let start = place
      while place < json.count, ![0x2C, 0x5D, 0x7D].contains(json[place]), json[place] > 0x20 { place += 1 }
      let word = String(decoding: json[start..<place], as: UTF8.self)
      switch word {
      case "true", "false": return .boolean(word == "true")
      case "null": return .null
      default:
        guard let number = Double(word) else { throw Problem(place: start) }
        return .number(number)
      }
    }
  }

  private mutating func list(_ end: UInt8, _ part: (inout ValueReader) throws -> Void) throws {
    place += 1
    if next() == end { return place += 1 }
    while true {
      try part(&self)
      if next() == end { return place += 1 }
      try take(UInt8(ascii: ","))
    }
  }

  private mutating func text() throws -> String {
    try take(UInt8(ascii: "\""))
    let start = place
    var hasEscapes = false
    while place < json.count, json[place] != UInt8(ascii: "\"") {
      if json[place] == UInt8(ascii: "\\") { (hasEscapes, place) = (true, place + 1) }
      place += 1
    }
    guard place < json.count else { throw Problem(place: start) }
    place += 1
    let part = json[start..<(place - 1)]
    if !hasEscapes { return String(decoding: part, as: UTF8.self) }
    return try JSONDecoder().decode([String].self, from: Data([0x5B, 0x22] + part + [0x22, 0x5D]))[0]
  }
}
