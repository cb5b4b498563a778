import Foundation
import OperationFlow
import OperationFlowStorage

/// A signal that was sent, with its value.
struct SignalMessage: Sendable {
  /// The identifier of the message: a message that is sent twice arrives once.
  let id: String
  /// The name of the signal.
  let name: String
  let date: Date
  /// The name of the value's type, for people.
  let type: String
  private let content: Content

  private enum Content: Sendable {
    case value(any Sendable)
    case stored(StoredBytes)
    case sealed([UInt8])
    /// A request to cancel the run, which no step accepts.
    case cancellation
  }

  /// Creates a message within one process.
  init(_ name: String, _ value: any Sendable, at date: Date) {
    (id, self.name, self.date) = (UUID().uuidString, name, date)
    (type, content) = (TypeName.of(Swift.type(of: value)), .value(value))
  }

  /// Creates a message that is to be stored; `isSensitive` is true if the run's flow declares the signal as sensitive.
  init<Value: Encodable & Sendable>(
    _ signal: FlowSignal<Value>, _ value: Value, id: String, at date: Date, isSensitive: Bool = false,
    sealing: FlowSealing?
  ) throws {
    (self.id, name, self.date) = (id, signal.name, date)
    type = TypeName.of(Value.self)
    let bytes: StoredBytes
    do {
      guard let stored = try StoredBytes(value) else {
        throw FlowError.valueNotStorable("the value of a signal", Value.self, key: signal.name)
      }
      bytes = stored
    } catch let error as FlowError {
      throw error
    } catch {
      throw FlowError.valueNotEncodable("the value of a signal", Value.self, error, key: signal.name)
    }
    guard isSensitive || signal.isSensitive || FlowRedaction.standard.redacts(signal.name) else {
      content = .stored(bytes)
      return
    }
    guard let sealing else { throw FlowError.unsealedSignal(signal.name) }
    content = .sealed(try Self.sealed(bytes, by: sealing))
  }

  /// Creates a message whose value is JSON, for its reader to decode.
  init(_ name: String, json: Data, id: String, at date: Date) {
    (self.id, self.name, self.date, type) = (id, name, date, "JSON")
    content = .stored(StoredBytes(kind: 0, json: Array(JSONParts.trimmed(Array(json)[...]))))
  }

  /// Creates the message that requests the cancellation of a run.
  init(cancelling id: String, at date: Date) {
    (self.id, name, self.date, type, content) = (id, "cancellation", date, "", .cancellation)
  }

  /// True if the message requests the cancellation of the run, and is no signal.
  var isCancellation: Bool { if case .cancellation = content { true } else { false } }

  /// The identity of the message among all messages of a run.
  var identity: MessageID { MessageID(signal: name, id: id) }

  /// True if the message is in a mailbox.
  var isStored: Bool { if case .value = content { false } else { true } }

  /// True if the message is in a mailbox in clear text.
  var isClear: Bool { if case .stored = content { true } else { false } }

  /// Returns a copy with its value encrypted.
  func sealed(by sealing: FlowSealing) throws -> SignalMessage {
    guard case .stored(let bytes) = content else { return self }
    return SignalMessage(self, .sealed(try Self.sealed(bytes, by: sealing)))
  }

  private static func sealed(_ bytes: StoredBytes, by sealing: FlowSealing) throws -> [UInt8] {
    var writer = JournalWriter()
    bytes.write(to: &writer)
    return Array(try sealing.seal(writer.data))
  }

  /// Returns the value; throws an error if the value is encrypted, or of another type.
  func value<Value>(as type: Value.Type, of name: String) throws(FlowError) -> Value {
    let found: any Sendable =
      switch content {
      case .value(let value): value
      case .stored(let bytes): bytes.value
      case .sealed, .cancellation: throw .unopenedSignal(self.name, nil)
      }
    if let value = found as? Value { return value }
    if let value = (found as? any UndecodedValue)?.decoded(as: Value.self) { return value }
    throw .mismatchedSignal(name, expected: Value.self, found: self.type)
  }

  /// Returns the message with its value decrypted.
  func opened(_ sealing: FlowSealing?) throws(FlowError) -> SignalMessage {
    guard case .sealed(let bytes) = content else { return self }
    guard let sealing else { throw .unopenedSignal(name, nil) }
    do {
      var reader = JournalReader(try sealing.open(Data(bytes)))
      return SignalMessage(self, .stored(try StoredBytes(&reader)))
    } catch {
      throw .unopenedSignal(name, error)
    }
  }

  private init(_ message: SignalMessage, _ content: Content) {
    (id, name, date, type) = (message.id, message.name, message.date, message.type)
    self.content = content
  }

  // MARK: As bytes

  /// The version of the format.
  private static let version: UInt8 = 1

  /// Reads a message; `newID` replaces its identifier.
  init(_ reader: inout JournalReader, as newID: String? = nil) throws(FlowError) {
    guard try reader.byte() == Self.version else { throw .unreadableEntry }
    let oldID = try reader.text()
    (id, name, type) = (newID ?? oldID, try reader.text(), try reader.text())
    date = try reader.exactDate()
    switch try reader.byte() {
    case 1: content = .stored(try StoredBytes(&reader))
    case 2: content = .sealed(try reader.block())
    case 3: content = .cancellation
    default: throw .unreadableEntry
    }
  }

  func write(to writer: inout JournalWriter) {
    writer.byte(Self.version)
    writer.text(id)
    writer.text(name)
    writer.text(type)
    writer.exactDate(date)
    switch content {
    case .stored(let bytes):
      writer.byte(1)
      bytes.write(to: &writer)
    case .sealed(let bytes):
      writer.byte(2)
      writer.block(bytes)
    case .cancellation: writer.byte(3)
    // A message within one process is never stored.
    case .value: writer.byte(0)
    }
  }
}

extension JournalWriter {
  /// Appends a date in microseconds.
  mutating func exactDate(_ date: Date) {
    let time = (date.timeIntervalSince1970 * 1_000_000).rounded(.up)
    number(Int64(exactly: time) ?? (time < 0 ? .min : .max))
  }
}

extension JournalReader {
  mutating func exactDate() throws(FlowError) -> Date {
    Date(timeIntervalSince1970: Double(try longNumber()) / 1_000_000)
  }
}
