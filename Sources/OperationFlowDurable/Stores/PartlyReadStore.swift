import Foundation
import OperationFlow

/// A store that can read the ends of a journal, and its new entries, without reading all entries.
///
/// The journals of other stores are read completely.
protocol PartlyReadStore: FlowStore {
  /// Returns the first entry of a journal, or its beginning, and the ends of the last entry; `nil` if there is no
  /// journal.
  func readEnds(of id: String, _ extent: JournalEnds.Extent) throws -> JournalEnds?
  /// Returns the entries after a place; `nil` if there is no journal.
  func readPart(of id: String, after place: JournalPlace) throws -> JournalPart?
  /// Opens a journal to append to it, and creates it if there is none.
  func openEnd(of id: String) throws -> JournalEnd
}

/// The first entry of a journal and the last one.
struct JournalEnds: Sendable {
  enum Extent: Sendable {
    /// All of the first entry.
    case withFirst
    /// The first entry, or its first kilobytes if it is long, and the latest entries of a run that has not ended.
    case withHead
  }

  /// The first entry; `nil` if there is none.
  var first: Data?
  /// The last entry, or its first kilobytes if it is long; `nil` if there is no other than the first.
  var last: Data?
  /// The last bytes of the last entry; `nil` if all of it is there.
  var endOfLast: Data?
  /// The latest entries, as many as fit into some kilobytes; empty if the run has ended.
  var latest: [Data] = []
  /// The size of the file.
  var byteCount = 0

  init(first: Data? = nil, last: Data? = nil, endOfLast: Data? = nil) {
    (self.first, self.last, self.endOfLast) = (first, last, endOfLast)
  }

  /// Creates the ends of a journal whose entries were all read.
  init(_ entries: [Data], byteCount: Int = 0) {
    self.init(first: entries.first, last: entries.count > 1 ? entries.last : nil)
    latest = isEnded ? [] : Array(entries.dropFirst())
    self.byteCount = byteCount
  }
}

/// A place between two entries of a journal, from which reading can continue later.
struct JournalPlace: Sendable, Equatable {
  /// The number of entries before it.
  var count = 0
  /// The offset of the place in a file, and the salt of that file; 0 in other stores.
  var offset = 0
  var salt: UInt64 = 0

  static let start = JournalPlace()
}

/// Entries of a journal after a place.
struct JournalPart: Sendable {
  /// The entries after the place; all entries if the journal was replaced meanwhile.
  var entries: [Data]
  /// The place after these entries.
  var end: JournalPlace
}

/// A journal that is open for appending, with its last entry.
struct JournalEnd: Sendable {
  let journal: any FlowJournal
  /// The last entry, or its first kilobytes if it is long; `nil` if there is none.
  let last: Data?
}

extension FlowStore {
  /// Returns the first entry of a journal and the last one; `nil` if there is no journal.
  func ends(of id: String, _ extent: JournalEnds.Extent = .withFirst) throws -> JournalEnds? {
    if let store = self as? any PartlyReadStore { return try store.readEnds(of: id, extent) }
    guard let entries = try readJournal(of: id) else { return nil }
    return JournalEnds(entries)
  }

  /// Returns the entries that were appended to a journal after a place; `nil` if there is no journal.
  func part(of id: String, after place: JournalPlace) throws -> JournalPart? {
    if let store = self as? any PartlyReadStore { return try store.readPart(of: id, after: place) }
    guard let entries = try readJournal(of: id) else { return nil }
    let isReplaced = entries.count < place.count
    return JournalPart(
      entries: Array(entries.dropFirst(isReplaced ? 0 : place.count)), end: JournalPlace(count: entries.count))
  }

  /// Opens a journal to append to it, and creates it if there is none.
  func end(of id: String) throws -> JournalEnd {
    if let store = self as? any PartlyReadStore { return try store.openEnd(of: id) }
    let open = try openJournal(of: id)
    return JournalEnd(journal: open.journal, last: open.entries.last)
  }
}
