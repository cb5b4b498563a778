import OperationFlow
import OperationFlowStorage

/// The disk of the system, which counts the bytes that are read.
final class CountingDisk: Disk {
  private let disk = SystemDisk()
  let readBytes = Locked(0)

  private final class File: DiskFile {
    let file: any DiskFile
    let disk: CountingDisk
    init(_ file: any DiskFile, _ disk: CountingDisk) { (self.file, self.disk) = (file, disk) }
    var path: String { file.path }
    var size: Int { get throws(FileFault) { try file.size } }
    var isLinked: Bool { file.isLinked }
    func hold() -> FileDescriptor.Hold { file.hold() }
    func unlock() { file.unlock() }
    func read(_ count: Int, at offset: Int) throws(FileFault) -> [UInt8] {
      let bytes = try file.read(count, at: offset)
      disk.readBytes.withLock { $0 += bytes.count }
      return bytes
    }
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) -> Int {
      try file.write(bytes, at: offset)
    }
    func truncate(to size: Int) throws(FileFault) { try file.truncate(to: size) }
    func synchronize() throws(FileFault) { try file.synchronize() }
  }

  func makeFolder(_ path: String) throws { try disk.makeFolder(path) }
  func names(in folder: String) throws(FileFault) -> [String] { try disk.names(in: folder) }
  func synchronizeFolder(_ path: String) throws(FileFault) { try disk.synchronizeFolder(path) }
  func open(_ path: String, _ mode: DiskMode) throws(FileFault) -> any DiskFile {
    File(try disk.open(path, mode), self)
  }
  func rename(_ path: String, to other: String) throws(FileFault) { try disk.rename(path, to: other) }
  func remove(_ path: String) throws(FileFault) { try disk.remove(path) }

  /// Returns the number of bytes that are read while a closure runs.
  func counting(_ body: () async throws -> Void) async rethrows -> Int {
    let before = readBytes.withLock { $0 }
    try await body()
    return readBytes.withLock { $0 } - before
  }
}
