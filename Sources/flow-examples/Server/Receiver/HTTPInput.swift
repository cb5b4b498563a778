import Foundation

/// The bytes that arrived from a client and are still unread.
struct HTTPInput {
  private var bytes = Data()

  /// The number of bytes that were read; they are removed together when more bytes arrive.
  private var readCount = 0

  /// The number of unread bytes.
  var count: Int { bytes.count - readCount }

  mutating func append(_ further: Data) {
    bytes.removeSubrange(..<readCount)
    readCount = 0
    bytes.append(further)
  }

  /// Removes and returns the available bytes, at most this many.
  mutating func takeBytes(atMost limit: Int) -> Data {
    let part = bytes.dropFirst(readCount).prefix(limit)
    readCount += part.count
    return part
  }

  /// Removes and returns a line with its line feed, or returns nil if the line feed hasn't arrived yet.
  mutating func takeLine() -> Data? {
    let rest = bytes.dropFirst(readCount)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return takeBytes(atMost: end - rest.startIndex + 1)
  }
}
