import Foundation

/// The bytes that have come from a client and wait to be read.
struct HTTPInput {
  private var bytes = Data()

  /// How many of the bytes are done with; they are dropped in one go when further ones come.
  private var readCount = 0

  /// The number of bytes that wait.
  var count: Int { bytes.count - readCount }

  mutating func append(_ further: Data) {
    bytes.removeSubrange(..<readCount)
    readCount = 0
    bytes.append(further)
  }

  /// Takes what is there, up to a number of bytes.
  mutating func takeBytes(atMost limit: Int) -> Data {
    let part = bytes.dropFirst(readCount).prefix(limit)
    readCount += part.count
    return part
  }

  /// Takes a line with its line feed, or nothing if the line feed is still to come.
  mutating func takeLine() -> Data? {
    let rest = bytes.dropFirst(readCount)
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    return takeBytes(atMost: end - rest.startIndex + 1)
  }
}
