import Foundation
import OperationFlow
import OperationFlowStorage

/// A file that is written beside another one, and replaces it when it is complete.
///
/// It is locked while it is open, so that files left by a terminated process can be distinguished from those that a
/// process is still writing.
struct PendingFile: ~Copyable {
  private static let prefix = ".saving-"

  private let file: FileDescriptor
  /// The path of this file, which is removed at its end unless it has replaced another file.
  private let path: String

  /// Creates a file with a random name in a folder.
  init(in folder: String) throws(FileFault) {
    while true {
      let path = folder + "/" + Self.prefix + String(UInt64.random(in: 0 ... .max), radix: 16)
      let file: FileDescriptor
      do {
        file = try FileDescriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, to: "make")
      } catch {
        if error.code == EEXIST { continue }
        throw error
      }
      // A cleanup may have removed the file between creating and locking it.
      guard file.hold() != .others, file.isLinked else { continue }
      self.file = file
      self.path = path
      return
    }
  }

  deinit { unlink(path) }

  func write(_ data: Data) throws(FileFault) { try file.write(data) }

  /// Replaces a file in the same folder, or creates it.
  consuming func replace(_ other: String) throws(FileFault) {
    try file.synchronize()
    guard rename(path, other) == 0 else { throw FileFault(action: "write", path: other, code: errno) }
  }

  /// Removes the files of terminated processes in a folder, and returns the number of names in it.
  static func clearUp(_ folder: String) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let path = folder + "/" + name
      guard let file = try? FileDescriptor(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, to: "open") else { continue }
      if file.hold() == .mine { unlink(path) }
    }
    return names.count
  }
}
