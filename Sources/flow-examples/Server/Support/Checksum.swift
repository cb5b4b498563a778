import Foundation

/// The CRC-32 of IEEE Std 802.3 (clause 3.2.9), in the reflected, table-driven form of RFC 1952, section 8.
package struct Checksum: Hashable, Sendable, CustomStringConvertible {
  /// The remainder in the algorithm's form: every bit of the checksum inverted.
  private var remainder: UInt32 = .max

  /// Creates the checksum of no bytes at all.
  package init() {}

  /// Computes the checksum of a file, which is read in parts and never stored in memory as a whole.
  package init(fileAt url: URL) throws(ChecksumError) {
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      while let part = try file.read(upToCount: 256 * 1024), !part.isEmpty {
        update(with: part)
      }
    } catch {
      throw .unreadable(path: url.path, reason: error.localizedDescription)
    }
  }

  /// Adds further bytes to the checksum.
  package mutating func update(with bytes: Data) {
    remainder = bytes.withUnsafeBytes { buffer in
      buffer.reduce(remainder) { remainder, byte in
        Self.table[Int(UInt8(truncatingIfNeeded: remainder) ^ byte)] ^ (remainder >> 8)
      }
    }
  }

  package var value: UInt32 { ~remainder }

  /// Eight lower-case hexadecimal digits.
  package var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// The remainders of single bytes by the polynomial 0x04C11DB7, whose bits reversed are 0xEDB88320.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(byte) { remainder, _ in
      remainder & 1 == 0 ? remainder >> 1 : 0xEDB8_8320 ^ (remainder >> 1)
    }
  }
}

/// An error of a file whose checksum can't be computed.
package enum ChecksumError: Error, Hashable, CustomStringConvertible {
  case unreadable(path: String, reason: String)

  package var description: String {
    switch self {
    case .unreadable(let path, let reason):
      "No checksum of \(path): \(reason) Name a file that exists and may be read."
    }
  }
}
