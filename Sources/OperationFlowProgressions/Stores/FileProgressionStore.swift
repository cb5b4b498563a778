import Dispatch
import Foundation
import OperationFlow

/// Keeps steps as files of a directory, one for each key.
///
/// A step is written beside the one that is there and takes its place when it is whole and on the disk, so a process that
/// is ended in the middle, or a power failure, leaves one or the other. What such a process leaves beside it is removed by
/// the next ones that save or clear; a directory of many files is looked through less often than it is written to.
///
/// A file has a checksum: one that was cut or changed is a `FlowError` with the code `unreadableStep`. Files of earlier
/// versions of this library have none, and are read as they are. The steps are not encrypted; their files can be read by
/// their user alone, wherever they are, and a directory that the store makes can be entered by its user alone.
///
/// Stores of the same directory share its files, in several processes as well. Safe to be used from any thread; no thread
/// of a task is held to wait.
public final class FileProgressionStore: ProgressionStore {
  /// The folder that holds the files.
  public let directory: URL
  /// Several, for most of the time is spent waiting for the disk, which takes what comes at once together; a key has one.
  private let queues = (0..<4).map { DispatchQueue(label: "OperationFlow.FileProgressionStore.\($0)") }
  /// How many times the store may be used before it looks for what others have left.
  private let usesBeforeClearing = Locked(0)

  /// Makes a store; nothing is read or written before it is used.
  ///
  /// - Parameter directory: The folder that holds the files; it is made with the first step, if it isn't there.
  public init(directory: URL) {
    self.directory = directory
  }

  /// The file that a key's step is kept in: a line about it, and the step.
  ///
  /// - Parameter key: What the progression is stored as. In the file's name, all but small letters, digits, `-` and `_`
  ///   is escaped, so that no two keys share a file, and none leaves the directory. A key that is too long for a name is
  ///   cut, with a hash behind it.
  /// - Returns: The file, whether it is there or not.
  public func file(of key: String) -> URL {
    directory.appendingPathComponent(StepFile.name(of: key), isDirectory: false)
  }

  /// Writes a step in place of the one that is there, and returns when it is on the disk.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: What the progression is stored as.
  /// - Throws: What the system says, such as that the disk is full; the step before is then still there.
  public func save(_ step: Data, under key: String) async throws {
    let (directory, file) = (directory, file(of: key))
    try await onQueue(of: key) {
      try Self.make(directory)
      self.clearUp()
      let pending = try PendingFile(in: directory.path)
      try pending.write(StepFile.contents(for: step))
      try pending.replace(file.path)
      try Self.synchronize(directory)
    }
  }

  /// Reads the step that was saved last.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Returns: The step; `nil` if there is no file.
  /// - Throws: `FlowError` with the code `unreadableStep` if the file isn't as it was written; what Foundation throws if
  ///   it can't be read.
  public func load(_ key: String) async throws -> Data? {
    let file = file(of: key)
    return try await onQueue(of: key) {
      let contents: Data
      do {
        contents = try Data(contentsOf: file)
      } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
        return nil
      }
      return try StepFile.step(in: contents, key: key, path: file.path)
    }
  }

  /// Removes a step's file; if there is none, nothing happens.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Throws: What the system says.
  public func clear(_ key: String) async throws {
    let (directory, file) = (directory, file(of: key))
    try await onQueue(of: key) {
      self.clearUp()
      if unlink(file.path) == 0 {
        try Self.synchronize(directory)
      } else if errno != ENOENT {
        throw FileFault(action: "remove", path: file.path, code: errno)
      }
    }
  }

  // MARK: The directory

  /// Removes what processes that died have left.
  ///
  /// Looking through a directory takes as long as it has files, so it is used as many times before it is looked through
  /// again: then a save costs the same with any number of files.
  private func clearUp() {
    let isDue = usesBeforeClearing.withLock { count in
      count -= 1
      return count < 0
    }
    guard isDue else { return }
    let count = PendingFile.clearUp(directory.path)
    usesBeforeClearing.withLock { $0 = count / 16 }
  }

  /// Makes the directory if it isn't there, with those above it, and returns when they are on the disk.
  private static func make(_ directory: URL) throws {
    var missing: [URL] = []
    var parent = directory.standardizedFileURL
    while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
      missing.append(parent)
      parent.deleteLastPathComponent()
    }
    guard !missing.isEmpty else { return }
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for made in missing { try synchronize(made.deletingLastPathComponent()) }
  }

  private static func synchronize(_ directory: URL) throws {
    try FileDescriptor(directory.path, O_RDONLY, to: "open").synchronize()
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
