import Foundation

/// The part of a file system that journals use, so that tests can run them on one that fails.
package protocol Disk: Sendable {
  /// Makes a folder and its parents if they don't exist, and returns when they are on the disk.
  func makeFolder(_ path: String) throws
  /// Returns the names in a folder; throws an error with `ENOENT` if there is none.
  func names(in folder: String) throws(FileFault) -> [String]
  /// Returns when the names in a folder are on the disk.
  func synchronizeFolder(_ path: String) throws(FileFault)
  func open(_ path: String, _ mode: DiskMode) throws(FileFault) -> any DiskFile
  /// Renames a file in the same folder, and replaces any file that has the new name.
  func rename(_ path: String, to other: String) throws(FileFault)
  func remove(_ path: String) throws(FileFault)
}

/// The purpose for which a file is opened.
package enum DiskMode: Sendable {
  case reading
  case writing
  /// Makes the file if there is none.
  case making
  /// Makes the file, or empties it.
  case replacing
}

/// An open file, closed with its last reference.
package protocol DiskFile: AnyObject, Sendable {
  var path: String { get }
  var size: Int { get throws(FileFault) }
  /// True if the file still has a name.
  var isLinked: Bool { get }
  /// Acquires the file's lock, unless another one holds it.
  func hold() -> FileDescriptor.Hold
  func unlock()
  /// Reads as much as there is, at most `count` bytes.
  func read(_ count: Int, at offset: Int) throws(FileFault) -> [UInt8]
  /// Writes in one call of the system, and returns how many of the bytes were written.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) -> Int
  func truncate(to size: Int) throws(FileFault)
  /// Returns when everything written is on the disk.
  func synchronize() throws(FileFault)
}

extension DiskFile {
  /// Writes all of the bytes; usually with one call of the system.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) {
    var written = 0
    while written < bytes.count {
      let count = try write(UnsafeRawBufferPointer(rebasing: bytes[written...]), at: offset + written)
      guard count > 0 else { throw FileFault(action: "write", path: path, code: EIO) }
      written += count
    }
  }

  /// Writes all bytes of an array, which can't be passed directly to a function with typed errors.
  package func writeAll(_ bytes: [UInt8], at offset: Int) throws(FileFault) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFault) in try writeAll(bytes, at: offset) }
    }
    try result.get()
  }

  /// Writes all of the bytes with one call of the system, or throws, which may leave a part of them.
  package func writeAtOnce(_ bytes: [UInt8], at offset: Int) throws(FileFault) {
    let result = bytes.withUnsafeBytes { bytes in
      Result { () throws(FileFault) in try write(bytes, at: offset) }
    }
    // A file gets less than all if there is no room for more.
    guard try result.get() == bytes.count else { throw FileFault(action: "write", path: path, code: ENOSPC) }
  }
}
