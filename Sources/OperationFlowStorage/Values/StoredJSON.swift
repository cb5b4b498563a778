import Foundation
import OperationFlow

/// A value that an earlier process has written, as JSON: it gets its type when it is read.
package final class StoredJSON: UndecodedValue {
  package let json: [UInt8]
  /// The value with the type with which it was stored, if that is known: it can't be read as any other type.
  package let known: (any Sendable)?
  /// The closure to call with a type as which the value can't be decoded; no lock may be held.
  private let whenUndecodable: (@Sendable (StoredJSON, Any.Type) -> Void)?

  package init(
    _ json: [UInt8], known: (any Sendable)? = nil, whenUndecodable: (@Sendable (StoredJSON, Any.Type) -> Void)? = nil
  ) {
    (self.json, self.known, self.whenUndecodable) = (json, known, whenUndecodable)
  }

  /// The JSON; an array's elements are set apart, as they are in the text of any other array.
  package var description: String {
    guard json.first == 0x5B else { return String(decoding: json, as: UTF8.self) }
    var (text, objectDepth, isText, isEscaped) = ([UInt8](), 0, false, false)
    text.reserveCapacity(json.count + json.count / 8)
    for byte in json {
      text.append(byte)
      if isText {
        (isText, isEscaped) = (isEscaped || byte != 0x22, !isEscaped && byte == 0x5C)
        continue
      }
      switch byte {
      case 0x22: isText = true
      case 0x7B: objectDepth += 1
      case 0x7D: objectDepth -= 1
      case 0x2C where objectDepth == 0: text.append(0x20)
      default: break
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  package var form: String {
    switch json.first {
    case 0x22: "string"
    case 0x5B: "array"
    case 0x7B: "object"
    case 0x74, 0x66: "Boolean"
    case 0x6E: "null"
    default: "number"
    }
  }

  /// Returns the value as a type; `nil` if it can't be decoded, or if the JSON is of something else.
  package func decoded<Value>(as type: Value.Type) -> Value? {
    if let known {
      if let value = known as? Value { return value }
    } else if let type = type as? any Decodable.Type, let value = try? Self.decode(type, json) {
      // Casting a failure to an optional would make it a missing value, which isn't an error.
      return value as? Value
    }
    whenUndecodable?(self, type)
    return nil
  }

  package func obstacle(toDecodingAs type: Any.Type) -> String? {
    if let known { return "it was stored as \(Swift.type(of: known))" }
    guard let type = type as? any Decodable.Type else { return "\(type) isn't Decodable" }
    do {
      _ = try Self.decode(type, json)
      return nil
    } catch let error as DecodingError {
      return error.obstacle
    } catch {
      return ValueText.describe(error: error)
    }
  }

  fileprivate static func decode<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) throws -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // The value is in an array, because not every decoder accepts a value alone.
    return try decoder.decode([Value].self, from: Data([0x5B] + json + [0x5D])).first
  }

  /// The elements if the JSON is an array; otherwise `nil`.
  package var elements: [any Sendable]? { JSONParts.split(json, from: 0x5B, to: 0x5D)?.map { value(Array($0)) } }

  /// The texts and numbers in the JSON, without the names of members, because most of them are properties of a type.
  package var texts: [String] {
    // The value is in an array, because not every reader accepts a value alone.
    guard let value = try? JSONSerialization.jsonObject(with: Data([0x5B] + json + [0x5D])) else { return [] }
    var (texts, waiting) = ([String](), [value])
    while let value = waiting.popLast() {
      switch value {
      case let text as String: texts.append(text)
      case let elements as [Any]: waiting += elements
      case let members as [String: Any]: waiting += members.values
      case let number as NSNumber: texts.append("\(number)")
      default: break
      }
    }
    return texts
  }

  /// Returns an element: a text as a `String`, anything else for its reader to decode.
  private func value(_ json: [UInt8]) -> any Sendable {
    if json.first == 0x22, let text = try? Self.decode(String.self, json) { return text }
    return StoredJSON(json, whenUndecodable: whenUndecodable)
  }
}

extension DecodingError {
  /// The place in the value, and what is wrong there.
  fileprivate var obstacle: String {
    let (context, key): (Context, (any CodingKey)?) =
      switch self {
      case .keyNotFound(let key, let context): (context, key)
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
      @unknown default: (Context(codingPath: [], debugDescription: "it isn't what the type expects"), nil)
      }
    // The first place is that in the array in which each value is decoded.
    let place = context.codingPath.dropFirst().map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }.joined(
      separator: ".")
    var text = key.map { "it has no \"\($0.stringValue)\"" } ?? context.debugDescription
    if text.hasSuffix(".") { text.removeLast() }
    return place.isEmpty ? text : "\(place): \(text)"
  }
}
