import Foundation

/// Finds the references in a JSON text, so that they can be replaced without changing any other byte.
///
/// Decoding and encoding the text might change numbers. The text has to be valid JSON.
struct ReferenceScanner {
  private let bytes: [UInt8]

  init(_ data: Data) { bytes = Array(data) }

  /// Returns the ranges and texts of all objects that have only a member with this name, whose value is a string.
  func references(member: String) -> [(range: Range<Int>, text: String)] {
    let name = Array("\"\(member)\"".utf8)
    var found: [(range: Range<Int>, text: String)] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") {
        index = end(ofString: index)
      } else if bytes[index] == UInt8(ascii: "{"), let reference = reference(at: index, name: name) {
        found.append(reference)
        index = reference.range.upperBound
      } else {
        index += 1
      }
    }
    return found
  }

  /// Returns the text with some of its parts replaced; the parts are in order.
  static func replacing(_ parts: [(range: Range<Int>, text: Data)], in data: Data) -> Data {
    let bytes = Array(data)
    var result = Data()
    var end = 0
    for part in parts {
      result.append(contentsOf: bytes[end..<part.range.lowerBound])
      result.append(part.text)
      end = part.range.upperBound
    }
    result.append(contentsOf: bytes[end...])
    return result
  }

  private func reference(at start: Int, name: [UInt8]) -> (range: Range<Int>, text: String)? {
    var index = afterSpaces(start + 1)
    guard bytes[index...].starts(with: name) else { return nil }
    index = afterSpaces(index + name.count)
    guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else { return nil }
    index = afterSpaces(index + 1)
    guard index < bytes.count, bytes[index] == UInt8(ascii: "\"") else { return nil }
    let value = index..<end(ofString: index)
    index = afterSpaces(value.upperBound)
    guard index < bytes.count, bytes[index] == UInt8(ascii: "}"),
      let text = try? JSONDecoder().decode(String.self, from: Data(bytes[value]))
    else { return nil }
    return (start..<index + 1, text)
  }

  /// Returns the index after a string that begins at `start`.
  private func end(ofString start: Int) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, bytes.count)
  }

  private func afterSpaces(_ start: Int) -> Int {
    var index = start
    while index < bytes.count, Self.isSpace(bytes[index]) { index += 1 }
    return index
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
