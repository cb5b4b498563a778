import Foundation

/// The system's message when a file or a folder could not be used.
struct FileFault: Error, CustomStringConvertible, LocalizedError {
  let action: String
  let path: String
  let code: Int32

  var description: String { "can't \(action) \(path): \(String(cString: strerror(code)))" }
  var errorDescription: String? { description }
}

/// An open file or folder, closed with its last use.
struct FileDescriptor: ~Copyable {
  let path: String
  private let number: Int32

  /// Opens a file or a folder, or makes a file that only its user may read and write.
  init(_ path: String, _ flags: Int32, to action: String) throws(FileFault) {
    self.path = path
    var opened: Int32
    repeat { opened = open(path, flags | O_CLOEXEC, mode_t(0o600)) } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw FileFault(action: action, path: path, code: errno) }
    number = opened
  }

  deinit { close(number) }

  /// Whether the file still has a name.
  var isLinked: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_nlink > 0
  }

  /// Whether this descriptor holds the file's lock, for as long as it is open.
  ///
  /// The system releases a lock when the process dies. `unknown` is for what can't be locked.
  enum Hold { case mine, others, unknown }
  func hold() -> Hold {
    if flock(number, LOCK_EX | LOCK_NB) == 0 { return .mine }
    return errno == EWOULDBLOCK ? .others : .unknown
  }

  func write(_ data: Data) throws(FileFault) {
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

  /// Returns when everything written has reached the disk; for a folder, the names in it.
  func synchronize() throws(FileFault) {
    #if canImport(Darwin)
      // Here `fsync` leaves the data in the disk's own memory.
      if fcntl(number, F_FULLFSYNC) == 0 { return }
    #endif
    var result: Int32
    repeat { result = fsync(number) } while result < 0 && errno == EINTR
    // Some file systems have nothing to do for a folder.
    guard result < 0, errno != EINVAL, errno != ENOTSUP else { return }
    throw FileFault(action: "write to the disk", path: path, code: errno)
  }
}
