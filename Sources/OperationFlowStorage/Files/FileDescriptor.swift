import Foundation

/// An open file or folder, closed with its last use.
package struct FileDescriptor: ~Copyable {
  package let path: String
  private let number: Int32

  /// Opens a file or a folder, or makes a file that only its user may read and write.
  package init(_ path: String, _ flags: Int32, to action: String) throws(FileFault) {
    self.path = path
    var opened: Int32
    repeat { opened = open(path, flags | O_CLOEXEC, mode_t(0o600)) } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw FileFault(action: action, path: path, code: errno) }
    number = opened
  }

  deinit { close(number) }

  /// True if the file still has a name.
  package var isLinked: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_nlink > 0
  }

  /// True if this is a file with contents of its own, and no folder, pipe or device.
  package var isRegular: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The length in bytes.
  package var size: Int {
    get throws(FileFault) {
      var status = stat()
      guard fstat(number, &status) == 0 else { throw FileFault(action: "read", path: path, code: errno) }
      // A file may be larger than what a machine with 32 bits can read.
      guard let size = Int(exactly: status.st_size) else { throw FileFault(action: "read", path: path, code: EFBIG) }
      return size
    }
  }

  // MARK: The lock

  /// The holder of the file's lock: this descriptor, as long as it is open, or others.
  ///
  /// The system releases a lock when the process dies. `unknown` is for what can't be locked.
  package enum Hold: Sendable { case mine, others, unknown }

  package func hold() -> Hold {
    if flock(number, LOCK_EX | LOCK_NB) == 0 { return .mine }
    return errno == EWOULDBLOCK ? .others : .unknown
  }

  package func unlock() { flock(number, LOCK_UN) }

  // MARK: The contents

  /// Reads as much as there is, at most `count` bytes.
  package func read(_ count: Int, at offset: Int) throws(FileFault) -> [UInt8] {
    // An array that is larger than the memory would end the process.
    guard UInt64(clamping: count) <= ProcessInfo.processInfo.physicalMemory else {
      throw FileFault(action: "read", path: path, code: ENOMEM)
    }
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count {
        let target = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[filled...])
        let result = pread(number, target.baseAddress, target.count, off_t(offset + filled))
        if result > 0 {
          filled += result
        } else if result == 0 || errno != EINTR {
          code = result == 0 ? 0 : errno
          return
        }
      }
    }
    guard code == 0 else { throw FileFault(action: "read", path: path, code: code) }
    return bytes
  }

  /// Writes after the end of the last write.
  package func write(_ data: Data) throws(FileFault) {
    var written = 0
    while written < data.count {
      let count = data.withUnsafeBytes { bytes in
        Foundation.write(number, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        throw FileFault(action: "write", path: path, code: errno)
      }
    }
  }

  /// Writes in one call of the system, and returns how many of the bytes were written.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) -> Int {
    var count: Int
    repeat {
      count = pwrite(number, bytes.baseAddress, bytes.count, off_t(offset))
    } while count < 0 && errno == EINTR
    guard count >= 0 else { throw FileFault(action: "write", path: path, code: errno) }
    return count
  }

  package func truncate(to size: Int) throws(FileFault) {
    var result: Int32
    repeat { result = ftruncate(number, off_t(size)) } while result < 0 && errno == EINTR
    guard result == 0 else { throw FileFault(action: "shorten", path: path, code: errno) }
  }

  /// Returns when everything written has reached the disk; for a folder, the names in it.
  package func synchronize() throws(FileFault) {
    let code = DiskFlush.flush(number)
    guard code != 0 else { return }
    throw FileFault(action: "write to the disk", path: path, code: code)
  }
}
