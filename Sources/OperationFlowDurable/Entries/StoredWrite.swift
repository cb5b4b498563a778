import Foundation
import OperationFlow
import OperationFlowStorage

/// A write to the data bucket, as an entry stores it.
struct StoredWrite: Sendable {
  enum Value: Sendable {
    case removed
    case stored(StoredBytes)
    /// The value of a sensitive key, encrypted.
    case sealed([UInt8])
    /// The value of a sensitive key, which isn't stored.
    case isSensitive
    /// The value of any other key, which isn't stored.
    case isNotStored

    /// True if the entry contains the value.
    var isThere: Bool {
      switch self {
      case .stored, .sealed: true
      case .removed, .isSensitive, .isNotStored: false
      }
    }

    /// True if the key is sensitive.
    var isHidden: Bool {
      switch self {
      case .sealed, .isSensitive: true
      case .removed, .stored, .isNotStored: false
      }
    }
  }

  let name: String
  /// The number of the write in the run: of the writes to one name, the highest counts.
  let number: Int
  let value: Value

  init(name: String, number: Int, value: Value) {
    (self.name, self.number, self.value) = (name, number, value)
  }

  init(_ reader: inout JournalReader) throws(FlowError) {
    name = try reader.text()
    number = try reader.ordinal()
    switch try reader.byte() {
    case 0: value = .removed
    case 1: value = .stored(try StoredBytes(&reader))
    case 2: value = .sealed(try reader.block())
    case 3: value = .isSensitive
    case 4: value = .isNotStored
    default: throw .unreadableEntry
    }
  }

  func write(to writer: inout JournalWriter) {
    writer.text(name)
    writer.number(number)
    switch value {
    case .removed: writer.byte(0)
    case .stored(let bytes):
      writer.byte(1)
      bytes.write(to: &writer)
    case .sealed(let bytes):
      writer.byte(2)
      writer.block(bytes)
    case .isSensitive: writer.byte(3)
    case .isNotStored: writer.byte(4)
    }
  }
}

extension StoredBytes {
  init(_ reader: inout JournalReader) throws(FlowError) {
    let kind = try reader.byte()
    self.init(kind: kind, json: try reader.block())
  }

  func write(to writer: inout JournalWriter) {
    writer.byte(kind)
    writer.block(json)
  }
}

extension FlowSealing {
  /// Encrypts a value together with the number of its type.
  func sealed(_ bytes: StoredBytes) throws -> [UInt8] { Array(try seal(Data([bytes.kind] + bytes.json))) }

  /// Decrypts the value of a name; throws an error of the library if that isn't possible.
  func opened(_ bytes: [UInt8], of name: String) throws(FlowError) -> StoredBytes {
    do { return try opened(bytes) } catch { throw .unopenableValue(name, error) }
  }

  func opened(_ bytes: [UInt8]) throws -> StoredBytes {
    let opened = try open(Data(bytes))
    guard let kind = opened.first else { throw FlowError.unreadableEntry }
    return StoredBytes(kind: kind, json: Array(opened.dropFirst()))
  }
}

extension FlowError {
  /// Returns the error for an encrypted value that can't be decrypted, for example because the key is another one.
  fileprivate static func unopenableValue(_ name: String, _ error: any Error) -> FlowError {
    FlowError(
      .missingData, "the encrypted value of <\(ValueText.name(name))> can't be opened: \(TypeName.of(type(of: error)))",
      remedy: "Give run(id:in:sealing:) the FlowSealing that the run began with. The run is left as it was.", key: name)
  }
}
