import Dispatch
import Foundation

/// Keeps steps as files of a directory, one for each key.
///
/// A file is written beside the one that is there and takes its place when it is whole, so a process that is ended in
/// the middle leaves one or the other. It is not forced out to the disk: what was saved right before a power failure may
/// be gone. The steps are not encrypted; a directory that the store makes can be entered by its user alone.
///
/// Stores of the same directory share its files. Safe to be used from any thread; no thread of a task is held to wait.
public final class FileProgressionStore: ProgressionStore {
  /// Where the files are.
  public let directory: URL
  private let queue = DispatchQueue(label: "OperationFlow.FileProgressionStore")

  /// Makes a store; nothing is read or written before it is used.
  ///
  /// - Parameter directory: Where the files are; it is made with the first step, if it isn't there.
  public init(directory: URL) {
    self.directory = directory
  }

  /// The file that a key's step is kept in.
  ///
  /// - Parameter key: What the progression is stored as. In the file's name, all but small letters, digits, `-` and `_`
  ///   is escaped, so that no two keys share a file, and none leaves the directory.
  /// - Returns: The file, whether it is there or not.
  public func file(of key: String) -> URL {
    let name = key.utf8.map { byte in
      switch UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      {
      case true: String(UnicodeScalar(byte))
      case false: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return directory.appendingPathComponent(name.joined() + ".step.json", isDirectory: false)
  }

  /// Writes a step in place of the one that is there.
  ///
  /// - Parameters:
  ///   - step: The step, as JSON.
  ///   - key: What the progression is stored as.
  /// - Throws: What Foundation throws, such as where the disk is full; the step before is then still there.
  public func save(_ step: Data, under key: String) async throws {
    let (directory, file) = (directory, file(of: key))
    try await onQueue {
      if !FileManager.default.fileExists(atPath: directory.path) {
        try FileManager.default.createDirectory(
          at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      }
      try step.write(to: file, options: .atomic)
    }
  }

  /// Reads the step that was saved last.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Returns: The step; `nil` where there is no file.
  /// - Throws: What Foundation throws, such as where the file can't be read.
  public func load(_ key: String) async throws -> Data? {
    let file = file(of: key)
    return try await onQueue {
      do {
        return try Data(contentsOf: file)
      } catch let error as CocoaError where error.code == .fileReadNoSuchFile || error.code == .fileNoSuchFile {
        return nil
      }
    }
  }

  /// Removes a step's file; where there is none, nothing happens.
  ///
  /// - Parameter key: What the progression is stored as.
  /// - Throws: What Foundation throws.
  public func clear(_ key: String) async throws {
    let file = file(of: key)
    try await onQueue {
      do {
        try FileManager.default.removeItem(at: file)
      } catch let error as CocoaError where error.code == .fileNoSuchFile || error.code == .fileReadNoSuchFile {
        return
      }
    }
  }

  private func onQueue<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
