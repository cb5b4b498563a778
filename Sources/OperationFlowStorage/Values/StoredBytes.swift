import Foundation
import OperationFlow

/// A value as a journal stores it: as JSON, with a number for the types that are restored immediately.
///
/// Values of other types get their type from their readers.
package struct StoredBytes: Sendable, Equatable {
  /// The types of values that are restored without a reader.
  private enum Kind: UInt8 {
    case other, text, integer, number, boolean, texts, integers, numbers, booleans, dictionary, data, date, url, uuid
  }

  package let kind: UInt8
  package let json: [UInt8]

  package init(kind: UInt8, json: [UInt8]) {
    self.kind = kind
    self.json = json
  }

  /// Encodes a value; `nil` if its type isn't `Encodable`.
  ///
  /// - Throws: The error of the value's `encode(to:)`. That is user code, so no lock may be held.
  package init?(_ value: any Sendable) throws {
    switch value {
    case let value as Int: self.init(.integer, Array(String(value).utf8))
    case let value as Bool: self.init(.boolean, Array((value ? "true" : "false").utf8))
    case let value as String:
      self.init(.text, value.utf8.allSatisfy(Self.isPlain) ? Self.quoted(value) : try Self.json(of: value))
    case let value as Double: self.init(.number, try Self.json(of: value))
    case let value as [String]: self.init(.texts, try Self.json(of: value))
    case let value as [Int]: self.init(.integers, Self.json(of: value))
    case let value as [Double]: self.init(.numbers, try Self.json(of: value))
    case let value as [Bool]: self.init(.booleans, try Self.json(of: value))
    case let value as [String: String]: self.init(.dictionary, try Self.json(of: value))
    case let value as Data: self.init(.data, try Self.json(of: value))
    case let value as Date: self.init(.date, try Self.json(of: value))
    case let value as URL: self.init(.url, try Self.json(of: value))
    case let value as UUID: self.init(.uuid, try Self.json(of: value))
    case let value as StoredJSON: self.init(.other, value.json)
    case let value as any Encodable: self.init(.other, try Self.json(of: value))
    case let value as [any Sendable]:
      var json: [UInt8] = [0x5B]
      for element in value {
        guard let element = try StoredBytes(element) else { return nil }
        if json.count > 1 { json.append(0x2C) }
        json += element.json
      }
      self.init(.other, json + [0x5D])
    default: return nil
    }
  }

  private init(_ kind: Kind, _ json: [UInt8]) { self.init(kind: kind.rawValue, json: json) }

  /// The value, of its own type if that is known, otherwise for its reader to decode.
  package var value: any Sendable { value(whenUndecodable: nil) }

  /// Returns the value; `whenUndecodable` is called with a type as which it can't be decoded.
  package func value(whenUndecodable: (@Sendable (StoredJSON, Any.Type) -> Void)?) -> any Sendable {
    let text = { String(decoding: json, as: UTF8.self) }
    let decoded: (any Sendable)? =
      switch Kind(rawValue: kind) {
      case .integer: Int(text())
      case .boolean: text() == "true"
      case .text:
        json.contains(0x5C) ? decode(String.self) : String(decoding: json.dropFirst().dropLast(), as: UTF8.self)
      case .number: decode(Double.self)
      case .texts: decode([String].self)
      case .integers: Self.integers(json) ?? decode([Int].self)
      case .numbers: decode([Double].self)
      case .booleans: decode([Bool].self)
      case .dictionary: decode([String: String].self)
      case .data: decode(Data.self)
      case .date: decode(Date.self)
      case .url: decode(URL.self)
      case .uuid: decode(UUID.self)
      case .other, nil: nil
      }
    return decoded ?? StoredJSON(json, whenUndecodable: whenUndecodable)
  }

  /// Returns the value for a reader of one type; a value of another known type can't be decoded as that one.
  package func value(
    for type: Any.Type, whenUndecodable: (@Sendable (StoredJSON, Any.Type) -> Void)?
  ) -> any Sendable {
    let value = value(whenUndecodable: whenUndecodable)
    func isValue<Wanted>(of type: Wanted.Type) -> Bool { value is Wanted }
    if value is StoredJSON || _openExistential(type, do: isValue) { return value }
    return StoredJSON(json, known: value, whenUndecodable: whenUndecodable)
  }

  private func decode<Value: Decodable & Sendable>(_ type: Value.Type) -> Value? { StoredJSON(json).decoded(as: type) }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x22 && byte != 0x5C && byte != 0x7F }

  private static func quoted(_ text: String) -> [UInt8] { [0x22] + Array(text.utf8) + [0x22] }

  /// Returns the JSON that an encoder makes of numbers, in a fraction of the time.
  private static func json(of numbers: [Int]) -> [UInt8] {
    var json: [UInt8] = [0x5B]
    json.reserveCapacity(2 + 7 * numbers.count)
    for number in numbers {
      if json.count > 1 { json.append(0x2C) }
      json.append(contentsOf: String(number).utf8)
    }
    json.append(0x5D)
    return json
  }

  /// Returns the numbers of an array that was encoded here; `nil` for anything else.
  private static func integers(_ json: [UInt8]) -> [Int]? {
    guard json.first == 0x5B, json.last == 0x5D, json.count > 2 else { return nil }
    var numbers: [Int] = []
    var (number, isNegative, digitCount) = (Int64(0), false, 0)
    func end() -> Bool {
      guard digitCount > 0, let signed = Int(exactly: isNegative ? -number : number) else { return false }
      numbers.append(signed)
      (number, isNegative, digitCount) = (0, false, 0)
      return true
    }
    for byte in json[1..<json.count - 1] {
      switch byte {
      case 0x30...0x39 where digitCount < 18:
        number = number * 10 + Int64(byte - 0x30)
        digitCount += 1
      case 0x2D where digitCount == 0 && !isNegative: isNegative = true
      case 0x2C: if !end() { return nil }
      default: return nil
      }
    }
    return end() ? numbers : nil
  }

  private static func json(of value: any Encodable) throws -> [UInt8] {
    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
      let encoder = JSONEncoder()
      // Equal values have equal bytes.
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      encoder.nonConformingFloatEncodingStrategy = .convertToString(
        positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
      // The value is in an array, because not every encoder accepts a value alone.
      return Array(try encoder.encode([value]).dropFirst().dropLast())
    }
    return try encode(value)
  }
}
