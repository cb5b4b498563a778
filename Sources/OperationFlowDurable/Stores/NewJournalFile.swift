import Foundation
import OperationFlow
import OperationFlowStorage

/// A new file, which replaces the file of a journal when it is complete.
struct NewJournalFile {
  private static let partLength = 1 << 20

  let file: any DiskFile
  let salt: UInt64
  private(set) var offsets = RecordOffsets()
  private(set) var end: Int
  private(set) var synced: Int
  private var buffer: [UInt8]

  /// Creates the file, and writes its header and its first entries.
  init(id: String, entries: [Data] = [], path: String, disk: any Disk) throws {
    let header = JournalHeader(id: id, salt: UInt64.random(in: 0 ... .max), entries: entries)
    file = try disk.open(path, .replacing)
    salt = header.salt
    end = header.length
    // These entries are on the disk before the file gets its name. The header has their length, so a reader can rely on
    // it.
    synced = header.completeLength
    buffer = header.encoded
    for entry in entries { try append(entry) }
    try flush()
  }

  /// Appends all entries of a source.
  mutating func copy(from source: inout RecordSource) throws {
    while let entries = try source.next() {
      for entry in entries { try append(entry) }
    }
    try flush()
  }

  mutating func synchronize() throws {
    try file.synchronize()
    synced = end
  }

  private mutating func append(_ entry: Data) throws {
    JournalRecord.append(entry, at: end, synced: synced, salt: salt, to: &buffer)
    offsets.append(end)
    end += JournalFormat.recordLength + entry.count
    if buffer.count >= Self.partLength { try flush() }
  }

  private mutating func flush() throws {
    if buffer.isEmpty { return }
    try file.writeAtOnce(buffer, at: end - buffer.count)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// The entries of a file that is still being written, read in parts.
struct RecordSource {
  private static let partLength = 1 << 20

  let file: any DiskFile
  let path: String
  private let salt: UInt64
  private var place: Int
  private var skipped: Int
  /// The offset at which to stop, which may grow.
  var end: Int

  /// Starts at a record; at the end if `start` is `nil`.
  init(file: any DiskFile, salt: UInt64, path: String, start: (offset: Int, skipped: Int)?, end: Int) {
    (self.file, self.salt, self.path, self.end) = (file, salt, path, end)
    (place, skipped) = start.map { ($0.offset, $0.skipped) } ?? (end, 0)
  }

  var isAtEnd: Bool { place == end }

  /// Returns the next entries; `nil` at the end.
  mutating func next() throws -> [Data]? {
    var length = Self.partLength
    while place < end {
      let bytes = try file.read(min(length, end - place), at: place)
      let entries = readEntries(from: bytes)
      if let entries { return entries }
      // Either a record is longer than the part, or another program changed the file.
      guard bytes.count == length else {
        throw FlowError.damagedJournal(path, at: place, "the entry there was right when it was written")
      }
      length *= 2
    }
    return nil
  }

  /// Returns the complete entries at the beginning of some bytes, and moves past them; `nil` if there are none.
  private mutating func readEntries(from bytes: [UInt8]) -> [Data]? {
    let (base, salt) = (place, salt)
    var entries: [Data] = []
    place = bytes.withUnsafeBytes { bytes in
      var index = 0
      while let record = JournalRecord.find(in: bytes, at: index, base: base, salt: salt) {
        if skipped > 0 { skipped -= 1 } else { entries.append(Data(bytes[record.entry])) }
        index = record.entry.upperBound
      }
      return base + index
    }
    return place > base ? entries : nil
  }
}
