import Foundation
import OperationFlow
import OperationFlowStorage

/// Writes the parts of a journal's entry one after the other.
struct JournalWriter {
  private(set) var bytes: [UInt8] = []
  /// The journal that hides sensitive texts in errors and names; `nil` if they are written unchanged.
  let journal: RunJournal?

  init(for journal: RunJournal? = nil) {
    self.journal = journal
    bytes.reserveCapacity(64)
  }

  var data: Data { Data(bytes) }

  mutating func byte(_ byte: UInt8) { bytes.append(byte) }

  /// Appends a number in as few bytes as possible, with seven bits in each byte, the lowest bits first.
  mutating func number(_ number: some FixedWidthInteger & SignedInteger) {
    var rest = UInt64(bitPattern: Int64(number))
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Appends the count of bytes, and the bytes.
  mutating func block(_ block: some Collection<UInt8>) {
    number(block.count)
    bytes.append(contentsOf: block)
  }

  mutating func text(_ text: String) { block(text.utf8) }

  mutating func optional<Value>(_ value: Value?, _ write: (inout JournalWriter, Value) -> Void) {
    byte(value == nil ? 0 : 1)
    if let value { write(&self, value) }
  }

  mutating func list<Element>(_ values: some Collection<Element>, _ write: (inout JournalWriter, Element) -> Void) {
    number(values.count)
    for value in values { write(&self, value) }
  }
}

/// Reads the parts of a journal's entry.
///
/// Whatever the bytes are, it returns values or throws an error.
struct JournalReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ data: Data) {
    // Faster than `Array(data)`, which would need most of the time for a short entry.
    bytes = data.withUnsafeBytes { Array($0) }
  }

  var isAtEnd: Bool { position == bytes.count }

  mutating func byte() throws(FlowError) -> UInt8 {
    guard position < bytes.count else { throw .unreadableEntry }
    defer { position += 1 }
    return bytes[position]
  }

  /// Reads a number; throws if an `Int` of this machine can't store it.
  mutating func number() throws(FlowError) -> Int {
    guard let number = Int(exactly: try longNumber()) else { throw .unreadableEntry }
    return number
  }

  /// Reads a number from which the run continues to count; throws if the count could overflow.
  mutating func ordinal() throws(FlowError) -> Int {
    let number = try number()
    guard (0...Int.max / 2).contains(number) else { throw .unreadableEntry }
    return number
  }

  mutating func longNumber() throws(FlowError) -> Int64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try byte()
      guard shift < 64 else { throw .unreadableEntry }
      number |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return Int64(bitPattern: number) }
      shift += 7
    }
  }

  /// Reads a number; throws if it is negative.
  mutating func count() throws(FlowError) -> Int {
    let number = try number()
    guard number >= 0 else { throw .unreadableEntry }
    return number
  }

  mutating func block() throws(FlowError) -> [UInt8] {
    let count = try count()
    guard count <= bytes.count - position else { throw .unreadableEntry }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  mutating func text() throws(FlowError) -> String { String(decoding: try block(), as: UTF8.self) }

  mutating func optional<Value>(_ read: (inout JournalReader) throws(FlowError) -> Value) throws(FlowError) -> Value? {
    try byte() == 0 ? nil : read(&self)
  }

  mutating func list<Element>(
    _ read: (inout JournalReader) throws(FlowError) -> Element
  ) throws(FlowError) -> [Element] {
    let count = try count()
    var values: [Element] = []
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }
}
