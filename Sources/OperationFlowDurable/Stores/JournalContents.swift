import Foundation
import OperationFlow
import OperationFlowStorage

/// The contents of a journal's file, read and checked.
struct JournalContents {
  var header: JournalHeader
  var entries: [Data] = []
  /// The offsets of some of the records.
  var offsets = RecordOffsets()
  /// The offset at which the last valid record ends; bytes after it are an entry whose writing was interrupted.
  var end: Int
  /// The number of bytes after `end` that belong to no valid record.
  var tornCount = 0
  /// The number of bytes that are certainly on the disk.
  var synced: Int

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: All bytes of the file.
  ///   - path: Its path, for errors.
  /// - Throws: `FlowError` with the code `unreadableJournal` if it is damaged.
  init(_ bytes: [UInt8], path: String) throws(FlowError) {
    self = try bytes.withUnsafeBytes { bytes in Result { () throws(FlowError) in try Self(bytes, path: path) } }.get()
  }

  /// Creates the contents of a file of which only the end was read.
  init(header: JournalHeader, end: Int, synced: Int) {
    (self.header, self.end, self.synced) = (header, end, synced)
  }

  private init(_ bytes: UnsafeRawBufferPointer, path: String) throws(FlowError) {
    header = try JournalHeader(bytes, path: path)
    end = header.length
    synced = header.completeLength
    while let record = JournalRecord.find(in: bytes, at: end, salt: header.salt) {
      offsets.append(end)
      entries.append(Data(bytes[record.entry]))
      synced = max(synced, record.synced)
      end = record.entry.upperBound
    }
    if end < synced { throw .damagedJournal(path, at: end, "what was on the disk there is broken or missing") }
    guard end < bytes.count else { return }
    if let fault = faultShownByLaterRecords(bytes) { throw .damagedJournal(path, at: end, fault) }
    guard mayBeInterrupted(bytes) else { throw .damagedJournal(path, at: end, "no crash leaves an entry like this") }
    tornCount = bytes.count - end
  }

  /// Returns the fault that the records after the last valid one prove; `nil` if a crash may have left them.
  ///
  /// Records of which only the header is valid count as well. A crash leaves the beginning of a record at the end of
  /// the file. A power failure can also lose any sectors that were not on the disk yet, and leave bytes that were
  /// written later. But neither moves anything. If a record states that bytes were on the disk, they were. And the
  /// bytes of one sector are written together, so the bytes before a record in its sector were written before it.
  private func faultShownByLaterRecords(_ bytes: UnsafeRawBufferPointer) -> String? {
    for index in end..<bytes.count {
      guard let record = JournalRecord.header(in: bytes, at: index, salt: header.salt) else { continue }
      if record.offset != index {
        return "something is missing, added or exchanged: what was written at byte \(record.offset) is at byte \(index)"
      }
      guard index > end else { continue }
      let isInSameSector = index / JournalFormat.sectorLength == end / JournalFormat.sectorLength
      if isInSameSector || record.synced > end { return "the entry there is broken, and others follow it" }
    }
    return nil
  }

  /// Returns true if a crash may have left the record after the last valid one: the file ends in it, or lacks a sector
  /// of it.
  ///
  /// A sector that was not written has its earlier contents. A file only grows, and bytes that could not be written are
  /// cut off for good. So the sector has the bytes that were there when an earlier record ended, and zeros after them.
  private func mayBeInterrupted(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let entryLength = JournalRecord.header(in: bytes, at: end, salt: header.salt)?.count ?? 0
    let entryStart = end + JournalFormat.recordLength
    guard entryLength <= bytes.count - entryStart else { return true }
    let recordEnd = entryStart + entryLength
    var start = end
    while start < recordEnd {
      let sectorEnd = min((start / JournalFormat.sectorLength + 1) * JournalFormat.sectorLength, bytes.count)
      if bytes[start..<sectorEnd].allSatisfy({ $0 == 0 }) { return true }
      start = sectorEnd
    }
    return false
  }

  /// Returns a sentence about the interrupted entry that is cut off; `nil` if there is none.
  func repair(of path: String) -> String? {
    if tornCount == 0 { return nil }
    return "an entry at the end of \(path), at byte \(end), was not completely written: \(tornCount) bytes were cut off"
  }
}

extension JournalHeader {
  /// Returns the length of a header from its beginning, which may be broken; the number of bytes if it isn't a header.
  static func length(from bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count >= JournalFormat.emptyHeaderLength,
      bytes.prefix(JournalFormat.magic.count).elementsEqual(JournalFormat.magic)
    else { return bytes.count }
    // A length that doesn't fit into an `Int` is broken, because no file is longer.
    let count = Int(clamping: bytes.number(at: JournalFormat.magic.count + 4) as UInt32)
    return min(count, .max - JournalFormat.emptyHeaderLength) + JournalFormat.emptyHeaderLength
  }

  /// Reads the header of a file, which is complete whenever the file has its name.
  init(_ bytes: UnsafeRawBufferPointer, path: String) throws(FlowError) {
    let start = JournalFormat.magic.count
    guard bytes.count >= JournalFormat.emptyHeaderLength else {
      throw .damagedJournal(path, at: bytes.count, "the file ends there, within its header")
    }
    guard bytes.prefix(start).elementsEqual(JournalFormat.magic) else {
      throw .damagedJournal(path, at: 0, "it doesn't begin as a journal does")
    }
    let version: UInt32 = bytes.number(at: start)
    guard version == JournalFormat.version else { throw .newerJournal(path, at: start, version: version) }
    let count = Int(clamping: bytes.number(at: start + 4) as UInt32)
    guard count <= bytes.count - JournalFormat.emptyHeaderLength else {
      throw .damagedJournal(path, at: bytes.count, "the file ends there, within its header")
    }
    let end = JournalFormat.emptyHeaderLength - 4 + count
    let checksum = CyclicChecksum.value(of: .init(rebasing: bytes[..<end]))
    guard checksum == bytes.number(at: end), let length = Int(exactly: bytes.number(at: start + 16) as UInt64) else {
      throw .damagedJournal(path, at: 0, "its header is broken")
    }
    salt = bytes.number(at: start + 8)
    completeLength = length
    id = String(decoding: bytes[(end - count)..<end], as: UTF8.self)
  }
}

/// The offsets of every 256th record, so that a journal of many entries needs little memory.
struct RecordOffsets {
  private static let distance = 256
  private(set) var count = 0
  private var kept: [Int] = []

  mutating func append(_ offset: Int) {
    if count % Self.distance == 0 { kept.append(offset) }
    count += 1
  }

  /// Returns the offset of a record, or of one before it, and the number of records to skip from there.
  func start(of index: Int) -> (offset: Int, skipped: Int)? {
    let place = index / Self.distance
    return place < kept.count ? (kept[place], index % Self.distance) : nil
  }
}
