import Foundation

/// Takes JSON apart without changing its values, so that a number keeps its digits on the way from task to task.
enum RawJSON {
  /// The members of an object; `nil` if the text is no JSON object.
  static func members(_ json: [UInt8]) -> [String: [UInt8]]? {
    guard isValid(json) else { return nil }
    return knownMembers(json)
  }

  /// The elements of an array; `nil` if the text is no JSON array.
  static func elements(_ json: [UInt8]) -> [[UInt8]]? {
    guard isValid(json) else { return nil }
    return knownElements(json)
  }

  /// The members of an object that is a part of valid JSON.
  static func knownMembers(_ json: [UInt8]) -> [String: [UInt8]]? {
    guard let parts = parts(json, 0x7B, 0x7D) else { return nil }
    var members: [String: [UInt8]] = [:]
    for part in parts {
      guard let end = endOfText(part), let name = text(Array(part[...end])),
        let colon = part[(end + 1)...].firstIndex(of: 0x3A)
      else { return nil }
      members[name] = trimmed(part[(colon + 1)...])
    }
    return members
  }

  /// The elements of an array that is a part of valid JSON.
  static func knownElements(_ json: [UInt8]) -> [[UInt8]]? { parts(json, 0x5B, 0x5D) }

  /// The text of a JSON string; `nil` for anything else.
  static func text(_ json: [UInt8]) -> String? { try? JSONDecoder().decode([String].self, from: list(json)).first }

  /// The number of a JSON integer; `nil` for anything else.
  static func integer(_ json: [UInt8]) -> Int? { try? JSONDecoder().decode([Int].self, from: list(json)).first }

  static func isNull(_ json: [UInt8]) -> Bool { json.elementsEqual("null".utf8) }

  /// An object with sorted members.
  static func object(_ members: [String: [UInt8]]) -> [UInt8] {
    var json: [UInt8] = [0x7B]
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      if json.count > 1 { json.append(0x2C) }
      json += Array(LanguageJSON.quoted(name).utf8) + [0x3A] + value
    }
    return json + [0x7D]
  }

  static func array(_ elements: [[UInt8]]) -> [UInt8] { [0x5B] + elements.joined(separator: [0x2C]) + [0x5D] }

  static func quoted(_ text: String) -> [UInt8] { Array(LanguageJSON.quoted(text).utf8) }

  private static func list(_ json: [UInt8]) -> Data { Data([0x5B] + json + [0x5D]) }

  private static func isValid(_ json: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)) != nil
  }

  /// What is between the commas of an object or an array.
  private static func parts(_ json: [UInt8], _ open: UInt8, _ close: UInt8) -> [[UInt8]]? {
    let json = trimmed(json[...])
    guard json.first == open, json.last == close, json.count > 1 else { return nil }
    var (parts, start, depth, isText, isEscaped) = ([[UInt8]](), 1, 0, false, false)
    for index in 1..<(json.count - 1) {
      let byte = json[index]
      if isText {
        (isText, isEscaped) = (isEscaped || byte != 0x22, !isEscaped && byte == 0x5C)
        continue
      }
      switch byte {
      case 0x22: isText = true
      case 0x5B, 0x7B: depth += 1
      case 0x5D, 0x7D: depth -= 1
      case 0x2C where depth == 0:
        parts.append(trimmed(json[start..<index]))
        start = index + 1
      default: break
      }
    }
    let last = trimmed(json[start..<(json.count - 1)])
    return last.isEmpty ? parts : parts + [last]
  }

  /// The index of the quote that ends a text at the start.
  private static func endOfText(_ json: [UInt8]) -> Int? {
    guard json.first == 0x22 else { return nil }
    var isEscaped = false
    for index in json.indices.dropFirst() {
      if !isEscaped, json[index] == 0x22 { return index }
      isEscaped = !isEscaped && json[index] == 0x5C
    }
    return nil
  }

  private static func trimmed(_ json: ArraySlice<UInt8>) -> [UInt8] {
    var slice = json
    while let first = slice.first, first <= 0x20 { slice = slice.dropFirst() }
    while let last = slice.last, last <= 0x20 { slice = slice.dropLast() }
    return Array(slice)
  }
}
