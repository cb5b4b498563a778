import Foundation
import OperationFlow

/// Writes JSON directly, without building values first: exports write a value for every event.
struct JSONText {
  private var bytes: [UInt8] = []
  /// True if the next value or key needs a comma before it.
  private var needsComma = false

  var data: Data { Data(bytes) }

  /// Reserves room for a text of about this many bytes.
  mutating func reserve(_ byteCount: Int) { bytes.reserveCapacity(byteCount) }

  // MARK: Structure

  mutating func open(_ key: String? = nil, array: Bool = false) {
    begin(key)
    bytes.append(UInt8(ascii: array ? "[" : "{"))
    needsComma = false
  }

  mutating func close(array: Bool = false) {
    bytes.append(UInt8(ascii: array ? "]" : "}"))
    needsComma = true
  }

  /// Starts a new line before the next value; JSON ignores line breaks.
  mutating func breakLine() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Breaks the line after the last value of an array or object.
  mutating func breakLineAtEnd() { bytes.append(UInt8(ascii: "\n")) }

  /// Ends the text with a line break.
  mutating func end() { bytes.append(UInt8(ascii: "\n")) }

  // MARK: Values

  mutating func put(_ key: String? = nil, _ text: String) {
    begin(key)
    append(quoted: text)
    needsComma = true
  }

  mutating func put(_ key: String? = nil, _ number: some FixedWidthInteger) {
    begin(key)
    append(number)
    needsComma = true
  }

  /// Appends a number as a string of its digits, as Protocol Buffers write 64-bit numbers.
  mutating func put(_ key: String? = nil, digitsOf number: some FixedWidthInteger) {
    begin(key)
    bytes.append(UInt8(ascii: "\""))
    append(number)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  mutating func put(_ key: String? = nil, _ isTrue: Bool) {
    begin(key)
    bytes += (isTrue ? "true" : "false").utf8
    needsComma = true
  }

  private mutating func begin(_ key: String?) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    guard let key else { return }
    append(quoted: key)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ number: some FixedWidthInteger) { bytes += String(number).utf8 }

  private mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20, 0x7F:
        bytes += "\\u00".utf8
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let digits = Array("0123456789abcdef".utf8)
}
