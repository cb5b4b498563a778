import Foundation

/// The CRC-32 of Ethernet and zip files, which detects accidental loss or change.
package enum CyclicChecksum {
  /// Returns the checksum as eight hexadecimal digits.
  package static func text(of data: Data) -> String {
    let digits = String(data.withUnsafeBytes { value(of: $0) }, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  /// Returns the checksum of some bytes, or of other bytes followed by them if `others` is the checksum of those.
  ///
  /// Processes eight bytes at a time, each with its own table, which is more than twice as fast as one after the other.
  package static func value(of bytes: UnsafeRawBufferPointer, after others: UInt32 = 0) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var rest = ~others
      var index = 0
      while index + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        var next = UInt64(littleEndian: word) ^ UInt64(rest)
        rest = 0
        for place in 0..<8 {
          rest ^= tables[(7 - place) * 256 + Int(next & 0xFF)]
          next >>= 8
        }
        index += 8
      }
      while index < bytes.count {
        rest = tables[Int((rest ^ UInt32(bytes[index])) & 0xFF)] ^ (rest >> 8)
        index += 1
      }
      return ~rest
    }
  }

  /// The remainder of each byte followed by zero to seven null bytes: 256 numbers for each.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = []
    for byte in 0..<UInt32(256) {
      var rest = byte
      for _ in 0..<8 { rest = rest & 1 == 0 ? rest >> 1 : 0xEDB8_8320 ^ (rest >> 1) }
      tables.append(rest)
    }
    for index in 256..<(8 * 256) {
      let before: UInt32 = tables[index - 256]
      tables.append(tables[Int(before & 0xFF)] ^ (before >> 8))
    }
    return tables
  }()
}
