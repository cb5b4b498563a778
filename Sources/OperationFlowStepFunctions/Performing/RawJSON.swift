import Foundation
import OperationFlowStorage

/// Splits JSON without changing its values, so that a number retains its digits on the way from task to task.
enum RawJSON {
  /// Returns the members of an object; `nil` if the text is no JSON object.
  static func members(_ json: [UInt8]) -> [String: [UInt8]]? {
    guard isValid(json) else { return nil }
    return knownMembers(json)
  }

  /// Returns the members of an object that is a part of valid JSON.
  static func knownMembers(_ json: [UInt8]) -> [String: [UInt8]]? {
    guard let members = slices(of: json) else { return nil }
    return Dictionary(members.map { ($0.name, Array($0.value)) }) { $1 }
  }

  /// A member of an object; the indices of its value are those of the object's JSON.
  struct Member {
    let name: String
    let value: ArraySlice<UInt8>
  }

  /// Returns the members of an object that is a part of valid JSON, in their order.
  static func slices(of json: [UInt8]) -> [Member]? {
    guard let parts = JSONParts.split(json, from: 0x7B, to: 0x7D) else { return nil }
    var members: [Member] = []
    for part in parts {
      guard let end = endOfText(part), let name = text(Array(part[...end])),
        let colon = part[(end + 1)...].firstIndex(of: 0x3A)
      else { return nil }
      members.append(Member(name: name, value: JSONParts.trimmed(part[(colon + 1)...])))
    }
    return members
  }

  /// Returns the elements of an array that is a part of valid JSON.
  static func knownElements(_ json: [UInt8]) -> [[UInt8]]? {
    JSONParts.split(json, from: 0x5B, to: 0x5D)?.map(Array.init)
  }

  /// Returns the text of a JSON string; `nil` for anything else.
  static func text(_ json: [UInt8]) -> String? { try? JSONDecoder().decode([String].self, from: list(json)).first }

  /// Returns the number of a JSON integer; `nil` for anything else.
  static func integer(_ json: [UInt8]) -> Int? { try? JSONDecoder().decode([Int].self, from: list(json)).first }

  static func isNull(_ json: [UInt8]) -> Bool { json.elementsEqual("null".utf8) }

  /// Returns an object with sorted members.
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

  /// Returns the JSON for a record, without unneeded escapes such as that of a slash, so that secrets are found in it.
  static func shown(_ json: [UInt8]) -> String {
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
    // JSON without escapes is left as it is, with all digits of its numbers.
    guard json.contains(UInt8(ascii: "\\")),
      let value = try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed),
      let plain = try? JSONSerialization.data(withJSONObject: value, options: options)
    else { return String(decoding: json, as: UTF8.self) }
    return String(decoding: plain, as: UTF8.self)
  }

  private static func list(_ json: [UInt8]) -> Data { Data([0x5B] + json + [0x5D]) }

  private static func isValid(_ json: [UInt8]) -> Bool {
    (try? JSONSerialization.jsonObject(with: Data(json), options: .fragmentsAllowed)) != nil
  }

  /// Returns the index of the quote that ends the string at the beginning.
  private static func endOfText(_ json: ArraySlice<UInt8>) -> Int? {
    guard json.first == 0x22 else { return nil }
    var isEscaped = false
    for index in json.indices.dropFirst() {
      if !isEscaped, json[index] == 0x22 { return index }
      isEscaped = !isEscaped && json[index] == 0x5C
    }
    return nil
  }
}
