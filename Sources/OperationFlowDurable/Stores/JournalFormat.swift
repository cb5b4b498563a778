import Foundation
import OperationFlow
import OperationFlowStorage

/// The format of a journal's file, version 2, which Docs/Reference/JournalFormat.md describes.
///
/// All numbers are little-endian. The checksums of a record include the file's salt and the record's offset, so bytes
/// of another file, or of another place, never count as a record. The offset is also stored. So a record that is found
/// elsewhere shows that something was removed, added or exchanged. No crash does that.
enum JournalFormat {
  static let version: UInt32 = 2
  /// The first bytes of a file: no text begins with them, and a conversion of line ends changes them.
  static let magic: [UInt8] = [0x89, 0x4F, 0x46, 0x4A, 0x0D, 0x0A, 0x1A, 0x0A]
  /// The length of a header without the identifier.
  static let emptyHeaderLength = 36
  /// The length of a record without its entry.
  static let recordLength = 24
  /// Disks write this many bytes completely or not at all.
  static let sectorLength = 512
  /// The largest size of an entry in bytes: one call of the system writes no more than two gigabytes.
  static let largestEntry = 1 << 30
}

/// The header of a journal's file.
struct JournalHeader: Equatable {
  /// A random number.
  var salt: UInt64
  /// The number of bytes of the file that were on the disk before the file got its name.
  var completeLength: Int
  var id: String

  var length: Int { JournalFormat.emptyHeaderLength + id.utf8.count }

  /// Creates a header for a new file with some entries.
  init(id: String, salt: UInt64, entries: [Data] = []) {
    self.id = id
    self.salt = salt
    completeLength = entries.reduce(JournalFormat.emptyHeaderLength + id.utf8.count) {
      $0 + JournalFormat.recordLength + $1.count
    }
  }

  var encoded: [UInt8] {
    var bytes = JournalFormat.magic
    bytes.append(littleEndian: JournalFormat.version)
    bytes.append(littleEndian: UInt32(id.utf8.count))
    bytes.append(littleEndian: salt)
    bytes.append(littleEndian: UInt64(completeLength))
    bytes.append(contentsOf: id.utf8)
    bytes.append(littleEndian: bytes.withUnsafeBytes { CyclicChecksum.value(of: $0) })
    return bytes
  }
}

/// An entry as a file has it: 24 bytes, and the entry.
enum JournalRecord {
  /// Appends a record to bytes that are to be written.
  ///
  /// - Parameters:
  ///   - entry: The entry.
  ///   - offset: The offset in the file at which the record is written.
  ///   - synced: The number of bytes of the file that are on the disk at this moment.
  ///   - salt: The file's salt.
  ///   - bytes: The bytes to which the record is appended.
  static func append(_ entry: Data, at offset: Int, synced: Int, salt: UInt64, to bytes: inout [UInt8]) {
    let base = checksum(of: salt)
    let place = checksum(of: UInt64(offset), after: base)
    entry.withUnsafeBytes { entry in
      // All in one append, because each append needs about as much time as the rest.
      withUnsafeTemporaryAllocation(byteCount: JournalFormat.recordLength, alignment: 8) { header in
        let checksum = CyclicChecksum.value(of: entry, after: place)
        header.storeBytes(of: UInt32(entry.count).littleEndian, as: UInt32.self)
        header.storeBytes(of: checksum.littleEndian, toByteOffset: 4, as: UInt32.self)
        header.storeBytes(of: UInt64(offset).littleEndian, toByteOffset: 8, as: UInt64.self)
        header.storeBytes(of: UInt32(clamping: offset - synced).littleEndian, toByteOffset: 16, as: UInt32.self)
        let own = CyclicChecksum.value(of: UnsafeRawBufferPointer(rebasing: header[..<20]), after: base)
        header.storeBytes(of: own.littleEndian, toByteOffset: 20, as: UInt32.self)
        bytes.append(contentsOf: header)
      }
      bytes.append(contentsOf: entry)
    }
  }

  /// The header of a record, which may be found at another place than its own.
  struct Header {
    /// The length of the entry.
    var count: Int
    /// The offset in the file at which the record was written.
    var offset: Int
    /// The number of bytes of the file that were on the disk when the record was written; 0 if that isn't known.
    var synced: Int
    fileprivate var checksum: UInt32
  }

  /// Returns the header of a record at an index, if there is a valid one; the entry after it may be missing or broken.
  static func header(in bytes: UnsafeRawBufferPointer, at index: Int, salt: UInt64) -> Header? {
    let end = index + JournalFormat.recordLength
    guard end <= bytes.count else { return nil }
    // No file is as large as 2⁴⁸ bytes, so this check excludes most bytes quickly.
    guard let offset = Int(exactly: bytes.number(at: index + 8) as Int64), offset >= JournalFormat.emptyHeaderLength,
      Int64(offset) < Int64(1) << 48, let count = Int(exactly: bytes.number(at: index) as UInt32)
    else { return nil }
    let header = UnsafeRawBufferPointer(rebasing: bytes[index..<end - 4])
    let expected: UInt32 = bytes.number(at: end - 4)
    guard CyclicChecksum.value(of: header, after: checksum(of: salt)) == expected else { return nil }
    let distance: UInt32 = bytes.number(at: index + 16)
    return Header(
      count: count, offset: offset, synced: distance == .max ? 0 : max(0, offset - Int(clamping: distance)),
      checksum: bytes.number(at: index + 4))
  }

  /// A valid record.
  struct Found {
    var entry: Range<Int>
    /// The number of bytes of the file that were on the disk when the record was written; 0 if that isn't known.
    var synced: Int
  }

  /// Returns the record at an index, if there is a valid one; `base` is the offset of the first byte in the file.
  static func find(in bytes: UnsafeRawBufferPointer, at index: Int, base: Int = 0, salt: UInt64) -> Found? {
    guard let header = header(in: bytes, at: index, salt: salt), header.offset == base + index else { return nil }
    let start = index + JournalFormat.recordLength
    guard header.count <= bytes.count - start else { return nil }
    let entry = UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.count])
    let place = checksum(of: UInt64(header.offset), after: checksum(of: salt))
    guard CyclicChecksum.value(of: entry, after: place) == header.checksum else { return nil }
    return Found(entry: start..<start + header.count, synced: header.synced)
  }

  private static func checksum(of number: UInt64, after checksum: UInt32 = 0) -> UInt32 {
    withUnsafeBytes(of: number.littleEndian) { CyclicChecksum.value(of: $0, after: checksum) }
  }
}

extension [UInt8] {
  fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the number at an index, which must be within the bytes.
  func number<Number: FixedWidthInteger>(at index: Int) -> Number {
    Number(littleEndian: loadUnaligned(fromByteOffset: index, as: Number.self))
  }
}
