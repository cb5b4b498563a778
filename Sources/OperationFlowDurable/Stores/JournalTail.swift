import Foundation
import OperationFlow
import OperationFlowStorage

/// The end of a journal's file, found without reading the bytes before it.
struct JournalTail {
  /// The number of bytes that are read from the end of a file, and from the beginning of a longer entry.
  fileprivate static let window = 1 << 14
  /// The number of bytes that are read from the end of a longer entry, where at most three numbers have to be found.
  private static let endLength = 64

  /// The last entry, or its beginning; `nil` if there is none.
  private(set) var last: Data?
  /// The last bytes of the last entry, if `last` has only its beginning.
  private(set) var endOfLast: Data?
  /// The offset of the record of the last entry; the length of the header if there is none.
  private(set) var start: Int
  /// The offset at which the last record and the file end.
  let end: Int
  /// The number of bytes that are certainly on the disk.
  private(set) var synced: Int

  /// Finds the end; `nil` if the file doesn't end with a complete entry, so that all of it must be read.
  init?(of file: any DiskFile, _ header: JournalHeader) throws {
    (start, end, synced) = (header.length, try file.size, header.completeLength)
    guard end > header.length else {
      if end < header.length { return nil }
      return
    }
    guard let found = try Self.nearEnd(of: file, header, end) ?? Self.byLengths(in: file, header, end) else {
      return nil
    }
    (last, start, synced) = (found.entry, found.start, max(synced, found.synced))
    if found.entry.count < end - found.start - JournalFormat.recordLength {
      endOfLast = Data(try file.read(Self.endLength, at: end - Self.endLength))
    }
  }

  /// Returns the last entries that fit into the window, without the first entry of the journal and a longer last one.
  func latest(of file: any DiskFile, _ header: JournalHeader) throws -> [Data] {
    guard let last, start > header.length else { return [] }
    var latest = endOfLast == nil ? [last] : []
    let base = max(header.length, start - Self.window)
    let bytes = try file.read(start - base, at: base)
    guard bytes.count == start - base else { return latest }
    var boundary = bytes.count
    bytes.withUnsafeBytes { bytes in
      for index in stride(from: bytes.count - JournalFormat.recordLength, through: 0, by: -1) {
        guard let record = Self.record(in: bytes, at: index, endingAt: boundary, base: base, header) else { continue }
        boundary = index
        if base + index > header.length { latest.insert(Data(bytes[record.entry]), at: 0) }
      }
    }
    return latest
  }

  private struct Found {
    var entry: Data
    var start: Int
    var synced: Int
  }

  /// Returns the last record, if it fits into the window.
  private static func nearEnd(of file: any DiskFile, _ header: JournalHeader, _ end: Int) throws -> Found? {
    let base = max(header.length, end - window)
    let bytes = try file.read(end - base, at: base)
    guard bytes.count == end - base else { return nil }
    return bytes.withUnsafeBytes { bytes in
      for index in stride(from: bytes.count - JournalFormat.recordLength, through: 0, by: -1) {
        guard let record = record(in: bytes, at: index, endingAt: bytes.count, base: base, header) else { continue }
        return Found(entry: Data(bytes[record.entry]), start: base + index, synced: record.synced)
      }
      return nil
    }
  }

  /// Returns the record at an index, if there is a valid one that ends at `end`; `base` is the offset of the first
  /// byte.
  private static func record(
    in bytes: UnsafeRawBufferPointer, at index: Int, endingAt end: Int, base: Int, _ header: JournalHeader
  ) -> JournalRecord.Found? {
    guard bytes.number(at: index + 8) as Int64 == Int64(base + index),
      let record = JournalRecord.find(in: bytes, at: index, base: base, salt: header.salt),
      record.entry.upperBound == end
    else { return nil }
    return record
  }

  /// Returns the last record, found by the lengths of all records, of which nothing else is read.
  private static func byLengths(in file: any DiskFile, _ header: JournalHeader, _ end: Int) throws -> Found? {
    var place = header.length
    while true {
      let bytes = try file.read(JournalFormat.recordLength, at: place)
      let record = bytes.withUnsafeBytes { JournalRecord.header(in: $0, at: 0, salt: header.salt) }
      guard let record, record.offset == place else { return nil }
      let entry = place + JournalFormat.recordLength
      guard record.count <= end - entry else { return nil }
      if entry + record.count == end {
        return Found(
          entry: Data(try file.read(min(record.count, window), at: entry)), start: place, synced: record.synced)
      }
      place = entry + record.count
    }
  }
}

extension FileFlowStore: PartlyReadStore {
  func readEnds(of id: String, _ extent: JournalEnds.Extent) throws -> JournalEnds? {
    try reporting(id) {
      guard let file = try readable(id) else { return nil }
      let header = try header(of: file, id)
      guard let tail = try JournalTail(of: file, header), let first = try firstEntry(of: file, header, tail, extent)
      else { return JournalEnds(try readJournal(of: id) ?? [], byteCount: try file.size) }
      var ends = JournalEnds(first: first)
      if tail.start > header.length { (ends.last, ends.endOfLast) = (tail.last, tail.endOfLast) }
      if extent == .withHead, !ends.isEnded { ends.latest = try tail.latest(of: file, header) }
      ends.byteCount = tail.end
      return ends
    }
  }

  /// Returns the first entry, or its beginning if it is long; `nil` if there is none, or if it is broken.
  private func firstEntry(
    of file: any DiskFile, _ header: JournalHeader, _ tail: JournalTail, _ extent: JournalEnds.Extent
  ) throws -> Data? {
    guard tail.end > header.length else { return nil }
    let start = try file.read(JournalFormat.recordLength, at: header.length)
    guard let record = start.withUnsafeBytes({ JournalRecord.header(in: $0, at: 0, salt: header.salt) }) else {
      return nil
    }
    if extent == .withHead, record.count > JournalTail.window {
      return Data(try file.read(JournalTail.window, at: header.length + JournalFormat.recordLength))
    }
    let bytes = try file.read(JournalFormat.recordLength + record.count, at: header.length)
    return bytes.withUnsafeBytes { bytes in
      JournalRecord.find(in: bytes, at: 0, base: header.length, salt: header.salt).map { Data(bytes[$0.entry]) }
    }
  }

  func readPart(of id: String, after place: JournalPlace) throws -> JournalPart? {
    try reporting(id) {
      guard let file = try readable(id) else { return nil }
      let (header, size) = (try header(of: file, id), try file.size)
      if header.salt == place.salt, place.offset <= size {
        var source = RecordSource(
          file: file, salt: header.salt, path: file.path, start: (place.offset, 0), end: size)
        if let entries = try? source.all(), source.isAtEnd {
          return JournalPart(
            entries: entries, end: JournalPlace(count: place.count + entries.count, offset: size, salt: header.salt))
        }
      }
      // The journal was replaced, or isn't complete at its end.
      guard let contents = try readContents(of: id) else { return nil }
      let isReplaced = contents.header.salt != place.salt
      return JournalPart(
        entries: Array(contents.entries.dropFirst(isReplaced ? 0 : place.count)),
        end: JournalPlace(count: contents.entries.count, offset: contents.end, salt: contents.header.salt))
    }
  }

  func openEnd(of id: String) throws -> JournalEnd {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    return try reporting(id) {
      try whileLocked(id, makingFolder: true) { lock in
        if !lock.followsCrash, let end = try openComplete(id, lock) { return end }
        let open = try open(id, lock)
        return JournalEnd(journal: open.journal, last: open.entries.last)
      }
    }
  }

  /// Opens a file that was closed properly; `nil` if there is no file, or if all of it must be read.
  private func openComplete(_ id: String, _ lock: JournalLock) throws -> JournalEnd? {
    guard let file = try writable(id) else { return nil }
    let header = try header(of: file, id)
    guard let tail = try JournalTail(of: file, header) else { return nil }
    let contents = JournalContents(header: header, end: tail.end, synced: tail.synced)
    return JournalEnd(journal: journal(id, file, contents, lock), last: tail.last)
  }
}

extension RecordSource {
  /// Returns all remaining entries.
  fileprivate mutating func all() throws -> [Data] {
    var all: [Data] = []
    while let entries = try next() { all += entries }
    return all
  }
}
