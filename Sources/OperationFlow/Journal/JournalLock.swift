import Foundation

/// The right to write a journal: a locked file beside it, with the holder's name.
///
/// The system releases the lock when the process dies, and the file that is left then doesn't matter.
final class JournalLock: Sendable {
  /// A line after the holder's, if what was written may be in the system's memory and not on the disk.
  private static let warning = "not on the disk\n"

  private struct State {
    var keepsFile: Bool
    var isReleased = false
  }

  private let path: String
  private let disk: any Disk
  private let file: any DiskFile
  private let holder: JournalHolder
  /// Whether the writer before could not get everything on the disk.
  let followsFailure: Bool
  private let state: Locked<State>

  /// Takes the lock, and writes down who has it.
  init(_ path: String, id: String, disk: any Disk) throws {
    while true {
      let file = try disk.open(path, .making)
      switch file.hold() {
      case .others: throw FlowError.runInUse(id, by: Self.holder(in: file)?.description ?? "another process")
      case .unknown: throw FlowError.unlockableJournal(id, path)
      case .mine: break
      }
      // One who lets go of the lock removes the file, perhaps after it was opened here.
      guard file.isLinked else { continue }
      (self.path, self.disk, self.file, holder) = (path, disk, file, .current())
      do {
        followsFailure = try Self.text(of: file).hasSuffix(Self.warning)
      } catch {
        file.letGo()
        throw error
      }
      state = Locked(State(keepsFile: followsFailure))
      writeDown(withWarning: followsFailure)
      return
    }
  }

  /// Notes that what was written may not be on the disk, for anyone who opens the journal later.
  func warn() {
    state.withLock { $0.keepsFile = true }
    writeDown(withWarning: true)
  }

  /// Writes who has the lock; on a full disk, it is held without that.
  private func writeDown(withWarning isWarned: Bool) {
    let text = Array((holder.encoded + (isWarned ? Self.warning : "")).utf8)
    try? file.writeAll(text, at: 0)
    try? file.truncate(to: text.count)
  }

  /// Forgets such a note, because everything was written again.
  func forgetWarning() {
    state.withLock { $0.keepsFile = false }
    writeDown(withWarning: false)
  }

  /// Lets go of the lock; a second call does nothing.
  func release() {
    let (isFirst, keepsFile) = state.withLock { state in
      defer { state.isReleased = true }
      return (!state.isReleased, state.keepsFile)
    }
    guard isFirst else { return }
    if !keepsFile { try? disk.remove(path) }
    file.letGo()
  }

  private static func holder(in file: any DiskFile) -> JournalHolder? {
    (try? text(of: file)).flatMap { JournalHolder(encoded: $0) }
  }

  private static func text(of file: any DiskFile) throws -> String {
    String(decoding: try file.read(1_000, at: 0), as: UTF8.self)
  }
}
