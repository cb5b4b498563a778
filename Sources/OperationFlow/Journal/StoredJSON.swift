import Foundation

/// A value that an earlier process has written, as JSON: it gets its type when it is read.
final class StoredJSON: Sendable, CustomStringConvertible {
  let json: [UInt8]

  init(_ json: [UInt8]) { self.json = json }

  /// The JSON; an array's elements are set apart, as they are in the text of any other array.
  var description: String {
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

  /// What the value is in words of JSON.
  var kind: String {
    switch json.first {
    case 0x22: "string"
    case 0x5B: "array"
    case 0x7B: "object"
    case 0x74, 0x66: "Boolean"
    case 0x6E: "null"
    default: "number"
    }
  }

  /// The value as a type; `nil` if that can't be decoded, or if the JSON is of something else.
  func decoded<Value>(as type: Value.Type) -> Value? {
    // Casting a failure to an optional would make it a missing value, which isn't an error.
    guard let type = type as? any Decodable.Type, let value = try? Self.decode(type, json) else { return nil }
    return value as? Value
  }

  fileprivate static func decode<Value: Decodable>(_ type: Value.Type, _ json: [UInt8]) throws -> Value? {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    // In an array, because not every decoder takes a value alone.
    return try decoder.decode([Value].self, from: Data([0x5B] + json + [0x5D])).first
  }

  /// The elements if it is an array, each as it was.
  var elements: [any Sendable]? {
    guard json.first == 0x5B, json.last == 0x5D else { return nil }
    var (elements, start, depth, isText, isEscaped) = ([any Sendable](), 1, 0, false, false)
    func end(at index: Int) {
      let part = json[start..<index].drop { $0 <= 0x20 }
      if !part.isEmpty { elements.append(Self.value(Array(part))) }
      start = index + 1
    }
    for index in json.indices.dropFirst().dropLast() {
      let byte = json[index]
      if isText {
        (isText, isEscaped) = (isEscaped || byte != 0x22, !isEscaped && byte == 0x5C)
        continue
      }
      switch byte {
      case 0x22: isText = true
      case 0x5B, 0x7B: depth += 1
      case 0x5D, 0x7D: depth -= 1
      case 0x2C where depth == 0: end(at: index)
      default: break
      }
    }
    end(at: json.count - 1)
    return elements
  }

  /// An element: a text is one whatever reads it.
  private static func value(_ json: [UInt8]) -> any Sendable {
    if json.first == 0x22, let text = try? decode(String.self, json) { return text }
    return StoredJSON(json)
  }
}

/// The place of a value that was there when an earlier process ended, and was not stored.
struct WithheldValue: Sendable {
  enum Reason: Sendable {
    case isSensitive, isNotStored
  }

  let reason: Reason
}

/// Returns a value of an earlier process as the type that its reader asks for; `nil` if it isn't one, or is another.
@inline(never)
func restored<Value>(_ value: any Sendable, as type: Value.Type = Value.self) -> Value? {
  if let json = value as? StoredJSON { return json.decoded(as: type) }
  guard let array = value as? [any Sendable], let type = type as? any RestorableArray.Type else { return nil }
  return type.restored(array) as? Value
}

/// An array whose elements may be values of an earlier process.
private protocol RestorableArray {
  static func restored(_ elements: [any Sendable]) -> Any?
}

extension Array: RestorableArray {
  fileprivate static func restored(_ elements: [any Sendable]) -> Any? {
    var result: [Element] = []
    for element in elements {
      guard let typed = element as? Element ?? OperationFlow.restored(element, as: Element.self) else { return nil }
      result.append(typed)
    }
    return result
  }
}
