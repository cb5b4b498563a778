import Foundation
import OperationFlow
import OperationFlowStorage

/// Stores the journals of durable runs as files in a folder, one for each run.
///
/// An entry is written with one call of the system. If a process is killed or the power fails, the journal has the
/// entry completely or not at all. A half-written entry is cut off when the journal is opened
/// (``FlowOpenJournal/repair``). Any other change of a file is an error that names the file and the place; the file is
/// not touched. Only entries that are missing at the end of a file look like entries whose writing a crash prevented.
///
/// A journal that is open is locked, and a file beside it (`.lock`) names the process. The system releases the lock
/// when a process ends in any way. The folder must be on a file system that has locks (`flock`), as local disks do.
///
/// The entries are not encrypted; only their user can read the files, and only their user can enter a folder that the
/// store makes. Stores of the same folder share its files, also in several processes. You can use a store from any
/// thread. Its methods wait for the disk, but ``FlowJournal/synchronize()`` waits on a thread of its own.
public struct FileFlowStore: FlowStore {
  private static let (journal, lock, new) = (".journal", ".lock", ".new")

  /// The folder that contains the files.
  public let folder: URL
  private let disk: any Disk

  /// Creates a store; nothing is read or written before you use it.
  ///
  /// - Parameter folder: The folder that contains the files; if it doesn't exist, it is made with the first journal.
  public init(folder: URL) { self.init(folder: folder, disk: SystemDisk()) }

  /// Creates a store on any disk.
  package init(folder: URL, disk: any Disk) {
    self.folder = folder
    self.disk = disk
  }

  /// Returns the file of a run's journal.
  ///
  /// - Parameter id: The identifier of the run. In the file's name, everything but lowercase letters, digits, `-` and
  ///   `_` is escaped, so that no two runs share a file, and all files are in the folder. An identifier that is too
  ///   long for a name is cut, and followed by a hash.
  /// - Returns: The file, whether it exists or not.
  public func file(of id: String) -> URL { folder.appendingPathComponent(Self.stem(of: id) + Self.journal) }

  /// Opens the journal of a run for writing, and creates it if there is none.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The journal and its entries. It stays open until it is closed or freed, or until the process ends.
  /// - Throws: `FlowError` with the code `runInUse` if another call or another process has the journal open;
  ///   `unreadableJournal` if the file is damaged, with the place; `storeFailed` if the folder or the file can't be
  ///   used, or if the identifier is empty.
  public func openJournal(of id: String) throws -> FlowOpenJournal {
    if id.isEmpty { throw FlowError.emptyIdentifier }
    return try reporting(id) { try whileLocked(id, makingFolder: true) { lock in try open(id, lock) } }
  }

  /// Returns the entries of a journal without opening it, also while it is written.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Returns: The entries in their order, without one that is not completely written; `nil` if there is no journal.
  /// - Throws: `FlowError` with the code `unreadableJournal` if the file is damaged, with the place; `storeFailed` if
  ///   it can't be read.
  public func readJournal(of id: String) throws -> [Data]? {
    if id.isEmpty { return nil }
    return try reporting(id) { try readContents(of: id)?.entries }
  }

  /// Returns the identifiers of all runs that have a journal.
  ///
  /// A file that can't be read is left out if its identifier is too long for its name; `unfinished()` returns its run.
  ///
  /// - Returns: The identifiers, sorted; none if there is no folder.
  /// - Throws: `FlowError` with the code `storeFailed` if the folder can't be read.
  public func runIDs() throws -> [String] { try journalIDs().filter { !Mailbox.isReserved($0) } }

  /// Returns the identifiers of all journals, including those of mailboxes, sorted.
  func journalIDs() throws -> [String] {
    var ids: [String] = []
    for name in try names() {
      if let id = EscapedName.text(of: name, suffix: Self.journal) {
        if !id.isEmpty { ids.append(id) }
      } else if EscapedName.isCut(name, suffix: Self.journal), let id = try? longID(in: path(ofName: name)),
        Self.stem(of: id) + Self.journal == name
      {
        ids.append(id)
      }
    }
    return ids.sorted()
  }

  /// Returns the runs whose identifiers are too long for the names of their files, and can't be read from the files.
  ///
  /// - Returns: The runs, identified by the names of their files without the suffix, each with its error.
  /// - Throws: `FlowError` with the code `storeFailed` if the folder can't be read.
  public func unreadableRuns() throws -> [FlowUnfinishedRun] {
    var found: [FlowUnfinishedRun] = []
    for name in try names() where EscapedName.isCut(name, suffix: Self.journal) {
      do { _ = try longID(in: path(ofName: name)) } catch {
        found.append(FlowUnfinishedRun(unreadable: String(name.dropLast(Self.journal.count)), .storeError(error)))
      }
    }
    return found
  }

  /// Removes the journal of a run, and the signals that it was sent; does nothing if there is none.
  ///
  /// - Parameter id: The identifier of the run.
  /// - Throws: `FlowError` with the code `runInUse` if the journal is open; `storeFailed` if it can't be removed.
  public func removeJournal(of id: String) throws {
    if id.isEmpty { return }
    let mailbox = Mailbox.isReserved(id) ? nil : Mailbox.id(of: id)
    let stem = Self.stem(of: id)
    guard [Self.journal, Self.new, Self.lock].contains(where: { isThere(path(ofName: stem + $0)) }) else {
      if let mailbox { try removeJournal(of: mailbox) }
      return
    }
    try reporting(id) {
      try whileLocked(id) { lock in
        // Only under the lock, because a process that has the run open still accepts the signals.
        if let mailbox { try removeJournal(of: mailbox) }
        try removeIfThere(path(id, Self.new))
        try removeIfThere(path(id, Self.journal))
        try disk.synchronizeFolder(folder.path)
        lock.release(isClosed: true)
      }
    }
  }

  // MARK: Files

  /// Returns the name of a run's files without the suffix, which is the same for equal texts.
  private static func stem(of id: String) -> String {
    String(EscapedName.name(of: id.precomposedStringWithCanonicalMapping, suffix: journal).dropLast(journal.count))
  }

  private func path(_ id: String, _ suffix: String) -> String {
    folder.appendingPathComponent(Self.stem(of: id) + suffix).path
  }

  private func path(ofName name: String) -> String { folder.appendingPathComponent(name).path }

  private func names() throws -> [String] {
    do { return try disk.names(in: folder.path) } catch {
      if error.code == ENOENT { return [] }
      throw FlowError.unusableFolder(folder.path, error)
    }
  }

  /// Returns true if a file has the path, even one that can't be used; doesn't list the folder.
  private func isThere(_ path: String) -> Bool {
    do { _ = try disk.open(path, .reading) } catch { return error.code != ENOENT }
    return true
  }

  private func longID(in path: String) throws -> String? {
    do { return try header(of: try disk.open(path, .reading)).id } catch let error as FileFault {
      if error.code == ENOENT { return nil }
      throw FlowError.unusableFolder(folder.path, error)
    }
  }

  private func removeIfThere(_ path: String) throws {
    do { try disk.remove(path) } catch { if error.code != ENOENT { throw error } }
  }

  /// Returns the contents of a journal's file without locking it; `nil` if there is none.
  func readContents(of id: String) throws -> JournalContents? {
    // A file may look damaged for a moment while its writer repairs or replaces it.
    for _ in 0..<3 {
      do { return try readable(id).map { try contents(of: $0, id) } } catch let error as FlowError {
        if error.code != .unreadableJournal { throw error }
      }
    }
    return try readable(id).map { try contents(of: $0, id) }
  }

  /// Opens the file of a journal for reading; `nil` if there is none.
  func readable(_ id: String) throws(FileFault) -> (any DiskFile)? { try existing(id, .reading) }

  /// Opens the file of a journal for writing; `nil` if there is none.
  func writable(_ id: String) throws(FileFault) -> (any DiskFile)? { try existing(id, .writing) }

  private func existing(_ id: String, _ mode: DiskMode) throws(FileFault) -> (any DiskFile)? {
    do { return try disk.open(path(id, Self.journal), mode) } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  private func contents(of file: any DiskFile, _ id: String) throws -> JournalContents {
    // Read the header first, because a file that is no journal may be larger than the memory.
    _ = try header(of: file, id)
    return try JournalContents(try file.read(try file.size, at: 0), path: file.path)
  }

  /// Returns the header of a file, which must be the journal of the run.
  func header(of file: any DiskFile, _ id: String) throws -> JournalHeader {
    let header = try header(of: file)
    guard header.id == id else { throw FlowError.foreignJournal(file.path, of: header.id, for: id) }
    return header
  }

  private func header(of file: any DiskFile) throws -> JournalHeader {
    let size = try file.size
    let start = try file.read(min(size, JournalFormat.emptyHeaderLength), at: 0)
    let bytes = try file.read(min(size, start.withUnsafeBytes { JournalHeader.length(from: $0) }), at: 0)
    return try bytes.withUnsafeBytes { try JournalHeader($0, path: file.path) }
  }

  // MARK: Opening

  /// Acquires the lock, and releases it if the body throws.
  func whileLocked<Value>(
    _ id: String, makingFolder: Bool = false, _ body: (JournalLock) throws -> Value
  ) throws -> Value {
    if makingFolder { try disk.makeFolder(folder.path) }
    let lock = try JournalLock(path(id, Self.lock), id: id, disk: disk)
    do { return try body(lock) } catch {
      lock.release(isClosed: !lock.followsCrash)
      throw error
    }
  }

  /// Opens the file of a run whose lock is acquired.
  func open(_ id: String, _ lock: JournalLock) throws -> FlowOpenJournal {
    let (path, newPath) = (path(id, Self.journal), path(id, Self.new))
    try removeIfThere(newPath)
    let file = try writable(id) ?? make(id, path, newPath, lock)
    let contents = try contents(of: file, id)
    let journal = journal(id, file, contents, lock)
    if lock.followsCrash || contents.tornCount > 0 {
      // If a write to the disk failed, the system may still show bytes that the disk lacks, and not write them again. A
      // power failure could also mix the bytes that are cut off here with appended ones.
      do { try journal.replace(first: contents.entries.count, with: contents.entries) } catch {
        // Otherwise the journal's deinit would release the lock as if the journal had been closed properly.
        lock.release(isClosed: false)
        throw error
      }
    }
    return FlowOpenJournal(journal, entries: contents.entries, repair: contents.repair(of: path))
  }

  /// Creates the journal of a file that is open and locked.
  func journal(
    _ id: String, _ file: any DiskFile, _ contents: JournalContents, _ lock: JournalLock
  ) -> FileFlowJournal {
    FileFlowJournal(
      id: id, file: file, contents: contents, paths: (path(id, Self.journal), path(id, Self.new), folder.path),
      lock: lock, disk: disk)
  }

  /// Creates a file with a header, which is on the disk when the call returns.
  private func make(
    _ id: String, _ path: String, _ newPath: String, _ lock: JournalLock
  ) throws -> any DiskFile {
    var new: NewJournalFile
    do {
      new = try NewJournalFile(id: id, path: newPath, disk: disk)
      try new.synchronize()
    } catch {
      // A file that can't be removed now is removed when the journal is opened next.
      try? disk.remove(newPath)
      throw error
    }
    do {
      try disk.rename(newPath, to: path)
      try disk.synchronizeFolder(folder.path)
    } catch {
      // The system may show a name that isn't on the disk, so the next opening has to write it again.
      lock.release(isClosed: false)
      throw error
    }
    return new.file
  }

  func reporting<Value>(_ id: String, _ body: () throws -> Value) throws -> Value {
    do { return try body() } catch { throw FlowError.journalFailed(id, error) }
  }
}
