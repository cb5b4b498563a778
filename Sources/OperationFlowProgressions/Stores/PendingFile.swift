import Foundation

/// A file that is written beside another one, and takes its place when it is whole.
///
/// It is held by a lock for as long as it is open, so that what another process has left when it died can be told from
/// what it still writes.
struct PendingFile: ~Copyable {
  private static let prefix = ".saving-"

  private let file: FileDescriptor
  /// What it takes the place of; until then it is taken away with its last use.
  private let path: String

  /// Makes a file of a random name in a folder.
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
      // Who clears up may have come between making the file and holding it, and has then taken it away.
      guard file.hold() != .others, file.isLinked else { continue }
      self.file = file
      self.path = path
      return
    }
  }

  deinit { unlink(path) }

  func write(_ data: Data) throws(FileFault) { try file.write(data) }

  /// Takes the place of a file in the same folder, or makes it.
  consuming func replace(_ other: String) throws(FileFault) {
    try file.synchronize()
    guard rename(path, other) == 0 else { throw FileFault(action: "write", path: other, code: errno) }
  }

  /// Takes away what processes that died have left in a folder; returns how many names there are in it.
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
