import Foundation

/// Writes all data of a file to the disk, with the strongest call that its file system supports.
///
/// On Apple's platforms, `fsync` passes the data to the disk, which may leave them in a memory of its own, and
/// `F_FULLFSYNC` makes the disk write that too. After a failure the weaker call may succeed, because the system has
/// dropped the data that it couldn't write, so it isn't tried then. The third call, `F_BARRIERFSYNC`, isn't used: it
/// promises that the data reach the disk before later data, but not when, and all callers depend on that.
package enum DiskFlush {
  package enum Call: Sendable { case full, plain }

  #if canImport(Darwin)
    /// The platform's calls, the strongest first.
    private static let calls = [Call.full, .plain]

    /// Makes a call for an open file or folder, and returns the number of its error, or 0.
    private static func make(_ call: Call, _ file: Int32) -> Int32 {
      let result = call == .full ? fcntl(file, F_FULLFSYNC) : fsync(file)
      return result < 0 ? errno : 0
    }
  #else
    /// The platform's calls, the strongest first.
    private static let calls = [Call.plain]

    /// Makes a call for an open file or folder, and returns the number of its error, or 0.
    private static func make(_ call: Call, _ file: Int32) -> Int32 { fsync(file) < 0 ? errno : 0 }
  #endif

  /// Returns when the data of an open file or folder are on the disk: 0, or the number of the error.
  static func flush(_ file: Int32) -> Int32 { flush(with: calls) { make($0, file) } }

  /// Flushes with the first call that the file system supports; `make` returns the error number of a call, or 0.
  package static func flush(with calls: [Call], _ make: (Call) -> Int32) -> Int32 {
    for call in calls {
      var code: Int32
      repeat { code = make(call) } while code == EINTR
      guard isUnsupported(code) else { return code }
    }
    // Some file systems have nothing to do for a folder.
    return 0
  }

  /// Returns true if an error means that the file system doesn't have the call, and not that the call has failed.
  private static func isUnsupported(_ code: Int32) -> Bool { [ENOTSUP, EINVAL, ENOTTY].contains(code) }
}
