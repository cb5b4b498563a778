import Foundation

/// The files of the system.
package struct SystemDisk: Disk {
  package init() {}

  package func makeFolder(_ path: String) throws(FileFault) {
    try Folder.make(URL(fileURLWithPath: path, isDirectory: true))
  }

  package func names(in folder: String) throws(FileFault) -> [String] {
    // Foundation's errors don't have the system's number, so the folder is opened first.
    _ = try FileDescriptor(folder, O_RDONLY | O_DIRECTORY, to: "open")
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      throw FileFault(action: "read", path: folder, code: EIO)
    }
  }

  package func synchronizeFolder(_ path: String) throws(FileFault) { try Folder.synchronize(path) }

  package func open(_ path: String, _ mode: DiskMode) throws(FileFault) -> any DiskFile {
    let flags =
      switch mode {
      case .reading: O_RDONLY
      case .writing: O_RDWR
      case .making: O_RDWR | O_CREAT
      case .replacing: O_RDWR | O_CREAT | O_TRUNC
      }
    // A pipe would otherwise wait for another process that opens it.
    let file = try FileDescriptor(path, flags | O_NOFOLLOW | O_NONBLOCK, to: "open")
    guard file.isRegular else { throw FileFault(action: "use", path: path, reason: "it isn't a regular file") }
    return SystemFile(file)
  }

  package func rename(_ path: String, to other: String) throws(FileFault) {
    guard Foundation.rename(path, other) == 0 else { throw FileFault(action: "write", path: other, code: errno) }
  }

  package func remove(_ path: String) throws(FileFault) {
    guard unlink(path) == 0 else { throw FileFault(action: "remove", path: path, code: errno) }
  }
}

/// A file of the system.
private final class SystemFile: DiskFile {
  private let file: FileDescriptor

  init(_ file: consuming FileDescriptor) { self.file = file }

  var path: String { file.path }
  var size: Int { get throws(FileFault) { try file.size } }
  var isLinked: Bool { file.isLinked }
  func hold() -> FileDescriptor.Hold { file.hold() }
  func unlock() { file.unlock() }
  func read(_ count: Int, at offset: Int) throws(FileFault) -> [UInt8] { try file.read(count, at: offset) }
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) -> Int {
    try file.write(bytes, at: offset)
  }
  func truncate(to size: Int) throws(FileFault) { try file.truncate(to: size) }
  func synchronize() throws(FileFault) { try file.synchronize() }
}
