import Foundation
import OperationFlow
import OperationFlowStorage

/// The right to write a journal: a locked file beside it, with the holder's name.
///
/// The system releases the lock when the process dies. The file that is left then shows that the journal wasn't closed.
final class JournalLock: Sendable {
  private let path: String
  private let disk: any Disk
  /// The file that is locked; `nil` once the lock is released.
  private let file: Locked<(any DiskFile)?>
  /// Whether the holder before didn't close the journal, or could not write it to the disk.
  let followsCrash: Bool

  /// Takes the lock, and writes down who has it.
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
      // On a full disk, it is held without a name.
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

  /// Lets go of the lock; a second call does nothing.
  ///
  /// - Parameter isClosed: Whether what was written is in the journal, as far as the system knows. Otherwise the file stays.
  func release(isClosed: Bool) {
    let held = file.withLock { file in
      defer { file = nil }
      return file
    }
    guard let held else { return }
    // If it has been removed, with its folder, the file that has its name now is someone else's.
    if isClosed, held.isLinked { try? disk.remove(path) }
    held.letGo()
  }
}
