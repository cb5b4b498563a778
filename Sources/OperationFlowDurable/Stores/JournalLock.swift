import Foundation
import OperationFlow
import OperationFlowStorage

/// The right to write a journal: a locked file beside the journal, which names the process.
///
/// The system releases the lock when the process dies. The file then stays, and shows that the journal wasn't closed.
final class JournalLock: Sendable {
  private let path: String
  private let disk: any Disk
  /// The file that is locked; `nil` once the lock is released.
  private let file: Locked<(any DiskFile)?>
  /// True if the previous owner didn't close the journal, or couldn't write it to the disk.
  let followsCrash: Bool

  /// Acquires the lock, and writes its owner into the file.
  init(_ path: String, id: String, disk: any Disk) throws {
    while true {
      let (file, isLeft) = try Self.open(path, disk)
      switch file.hold() {
      case .others: throw FlowError.runInUse(id, by: Self.holder(in: file)?.description ?? "another process")
      case .unknown: throw FlowError.unlockableJournal(id, path)
      case .mine: break
      }
      // The previous holder removes the file when it releases the lock, perhaps after this call opened the file.
      guard file.isLinked else { continue }
      (self.path, self.disk, self.file, followsCrash) = (path, disk, Locked(file), isLeft)
      // On a full disk, the lock is held without a name in its file.
      let text = Array(JournalHolder.current().encoded.utf8)
      try? file.writeAll(text, at: 0)
      try? file.truncate(to: text.count)
      return
    }
  }

  private static func open(_ path: String, _ disk: any Disk) throws -> (file: any DiskFile, isLeft: Bool) {
    do { return (try disk.open(path, .writing), true) } catch {
      if error.code != ENOENT { throw error }
      return (try disk.open(path, .making), false)
    }
  }

  private static func holder(in file: any DiskFile) -> JournalHolder? {
    guard let text = try? file.read(1_000, at: 0) else { return nil }
    return JournalHolder(encoded: String(decoding: text, as: UTF8.self))
  }

  /// Releases the lock; a second call does nothing.
  ///
  /// - Parameter isClosed: `true` if the journal was written to the disk as far as is known. Otherwise the lock's file
  ///   stays.
  func release(isClosed: Bool) {
    let held = file.withLock { file in
      defer { file = nil }
      return file
    }
    guard let held else { return }
    // If the file was removed with its folder, a file that has its name now belongs to another owner.
    if isClosed, held.isLinked { try? disk.remove(path) }
    held.unlock()
  }
}
