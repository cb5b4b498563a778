import Dispatch
import Foundation
import OperationFlow
import OperationFlowStorage

/// Stores steps as files in a directory, one for each key.
///
/// A step is written beside the existing one and replaces it when it is complete and on the disk. So a process that is
/// terminated in the middle, or a power failure, leaves one or the other. Later saves or clears remove the files that
/// such a process leaves. A directory of many files is scanned less often than it is written to.
///
/// A file has a checksum: one that was cut or changed is a `FlowError` with the code `unreadableStep`. Files of earlier
/// versions of this library have none, and are read as they are. The steps are not encrypted. Only their user can read
/// their files, wherever they are, and only their user can enter a directory that the store makes.
///
/// Stores of the same directory share its files, even in several processes. You can use a store from any thread; it
/// doesn't block a task's thread to wait.
public final class FileProgressionStore: ProgressionStore {
  /// The folder that contains the files.
  public let directory: URL
  /// The queues, of which each key uses one.
  ///
  /// There are several, because most of the time is spent waiting for the disk, which handles simultaneous writes
  /// together.
  private let queues = (0..<4).map { DispatchQueue(label: "OperationFlow.FileProgressionStore.\($0)") }
  /// The number of uses before the store searches the directory again for files of terminated processes.
  private let usesBeforeClearing = Locked(0)

  /// Creates a store; nothing is read or written before you use it.
  ///
  /// - Parameter directory: The folder for the files. If it doesn't exist, it is created with the first step.
  public init(directory: URL) {
    self.directory = directory
  }

  /// Returns the file for a key's step: a line about the step, and the step.
  ///
  /// - Parameter key: The progression's key. In the file's name, everything but lowercase letters, digits, `-` and `_`
  ///   is escaped, so that no two keys share a file, and none leaves the directory. A key that is too long for a name
  ///   is cut, and followed by a hash.
  /// - Returns: The file, whether it exists or not.
  public func file(of key: String) -> URL {
    directory.appendingPathComponent(StepFile.name(of: key), isDirectory: false)
  }

  /// Replaces the stored step, and returns when the new one is on the disk.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: The progression's key.
  /// - Throws: The system's error, such as that the disk is full; the step before is then still stored.
  public func save(_ step: Data, under key: String) async throws {
    let (directory, file) = (directory, file(of: key))
    try await onQueue(of: key) {
      try Folder.make(directory)
      self.clearUp()
      let pending = try PendingFile(in: directory.path)
      try pending.write(StepFile.contents(for: step))
      try pending.replace(file.path)
      try Folder.synchronize(directory.path)
    }
  }

  /// Returns the step that was saved last.
  ///
  /// - Parameter key: The progression's key.
  /// - Returns: The step; `nil` if there is no file.
  /// - Throws: `FlowError` with the code `unreadableStep` if the file isn't as it was written; the system's error if it
  ///   can't be read.
  public func load(_ key: String) async throws -> Data? {
    let file = file(of: key)
    return try await onQueue(of: key) {
      guard let contents = try Self.contents(of: file.path) else { return nil }
      return try StepFile.step(in: contents, key: key, path: file.path)
    }
  }

  /// Returns the bytes of a file; `nil` if there is none.
  private static func contents(of path: String) throws(FileFault) -> Data? {
    do throws(FileFault) {
      // Without O_NONBLOCK, opening a pipe would wait for another process to open it.
      let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK, to: "open")
      guard file.isRegular else { throw FileFault(action: "use", path: path, reason: "it isn't a regular file") }
      return Data(try file.read(file.size, at: 0))
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
  }

  /// Removes a step's file; does nothing if there is none.
  ///
  /// - Parameter key: The progression's key.
  /// - Throws: The system's error.
  public func clear(_ key: String) async throws {
    let (directory, file) = (directory, file(of: key))
    try await onQueue(of: key) {
      self.clearUp()
      if unlink(file.path) == 0 {
        try Folder.synchronize(directory.path)
      } else if errno != ENOENT {
        throw FileFault(action: "remove", path: file.path, code: errno)
      }
    }
  }

  // MARK: The directory

  /// Removes the files of terminated processes.
  ///
  /// The time to scan a directory is proportional to its number of files. The number of uses before the next scan is,
  /// too, so a save costs the same with any number of files.
  private func clearUp() {
    let isDue = usesBeforeClearing.withLock { count in
      count -= 1
      return count < 0
    }
    guard isDue else { return }
    let count = PendingFile.clearUp(directory.path)
    usesBeforeClearing.withLock { $0 = count / 16 }
  }

  private func onQueue<Value: Sendable>(
    of key: String, _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let queue = queues[Int(key.hashValue.magnitude % UInt(queues.count))]
    return try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
