import Foundation
import OperationFlow
import OperationFlowStorage

/// A disk in memory that fails at random, and that a process or the power can leave at any operation.
///
/// Data that wasn't synchronized is lost, or not, in any combination of sectors; the same applies to names. After an
/// error in synchronizing, lost data is never written later, as on Linux.
package final class SimulatedDisk: Disk {
  /// The rate of each fault: once in that many operations, or never if it is `nil`.
  package struct Faults: Sendable {
    package var full: Int?
    package var broken: Int?
    package var short: Int?
    /// A synchronization that a signal interrupts.
    package var interrupted: Int?
    /// The number of the error with which every full flush is refused, by a file system that supports plain ones only.
    package var refusal: Int32?

    package init(
      full: Int? = nil, broken: Int? = nil, short: Int? = nil, interrupted: Int? = nil, refusal: Int32? = nil
    ) {
      (self.full, self.broken, self.short) = (full, broken, short)
      (self.interrupted, self.refusal) = (interrupted, refusal)
    }
  }

  /// The result of an operation.
  enum Fate { case done, failed(Int32), short, last }

  let state: Locked<DiskState>
  /// Called for each operation that changes something, before it does.
  private let willChange: (@Sendable (_ operation: String, _ path: String) -> Void)?

  package convenience init(
    seed: UInt64, faults: Faults = Faults(), lastOperation: Int? = nil,
    willChange: (@Sendable (_ operation: String, _ path: String) -> Void)? = nil
  ) {
    self.init(
      DiskState(generator: SeededGenerator(seed: seed), faults: faults, lastOperation: lastOperation), willChange)
  }

  private init(_ state: DiskState, _ willChange: (@Sendable (String, String) -> Void)? = nil) {
    self.state = Locked(state)
    self.willChange = willChange
  }

  /// The number of operations that changed something.
  package var operationCount: Int { state.withLock { $0.operationCount } }
  /// True if the last operation was performed.
  ///
  /// Later operations have no effect.
  package var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Sets the rates of faults from now on.
  package func setFaults(_ faults: Faults) { state.withLock { $0.faults = faults } }

  /// Returns the disk as the next process finds it.
  ///
  /// Later operations of this process have no effect.
  package func restarted(
    afterPowerFailure isPowerFailure: Bool, faults: Faults = Faults(), lastOperation: Int? = nil
  ) -> SimulatedDisk {
    SimulatedDisk(
      state.withLock { state in
        state.hasEnded = true
        return state.restarted(afterPowerFailure: isPowerFailure, faults: faults, lastOperation: lastOperation)
      })
  }

  /// The contents of a file, as programs see it.
  package func contents(of path: String) -> [UInt8]? {
    state.withLock { state in state.names[path].flatMap { state.files[$0]?.contents } }
  }

  /// Replaces the contents of a file without a program's involvement.
  package func damage(_ path: String, _ change: (inout [UInt8]) -> Void) {
    state.withLock { state in
      if let number = state.names[path] { state.files[number]?.damage(change) }
    }
  }

  // MARK: Disk

  package func makeFolder(_ path: String) throws {
    try change("make", path) { state, _ in _ = state.folders.insert(path) }
  }

  package func names(in folder: String) throws(FileFault) -> [String] {
    let names = state.withLock { state in
      state.folders.contains(folder) ? state.names.keys.filter { $0.hasPrefix(folder + "/") } : nil
    }
    guard let names else { throw FileFault(action: "open", path: folder, code: ENOENT) }
    return names.map { String($0.dropFirst(folder.count + 1)) }
  }

  package func synchronizeFolder(_ path: String) throws(FileFault) {
    try flush(path) { state, fate in
      if case .last = fate { state.synchronizeSomeNames(in: path) } else { state.synchronizeNames(in: path) }
    }
  }

  /// Synchronizes with the library's choice of calls, as on a platform that has a full flush.
  func flush(_ path: String, of number: Int? = nil, _ body: (inout DiskState, Fate) -> Void) throws(FileFault) {
    let code = DiskFlush.flush(with: [.full, .plain]) { call in
      if call == .full, let refusal = state.withLock({ $0.faults.refusal }) { return refusal }
      do throws(FileFault) {
        try change("synchronize", path, of: number, body)
        return 0
      } catch {
        return error.code
      }
    }
    if code != 0 { throw FileFault(action: "synchronize", path: path, code: code) }
  }

  package func open(_ path: String, _ mode: DiskMode) throws(FileFault) -> any DiskFile {
    let number = state.withLock { state in state.hasEnded ? nil : state.names[path] }
    if let number {
      let file = SimulatedFile(path, number, on: self)
      if mode == .replacing { try file.truncate(to: 0) }
      return file
    }
    guard mode == .making || mode == .replacing else { throw FileFault(action: "open", path: path, code: ENOENT) }
    let made = try change("make", path) { state, _ in state.make(path) }
    return SimulatedFile(path, made, on: self)
  }

  package func rename(_ path: String, to other: String) throws(FileFault) {
    try change("rename", path) { state, _ in state.rename(path, to: other) }
  }

  package func remove(_ path: String) throws(FileFault) {
    let isThere = try change("remove", path) { state, _ in state.remove(path) }
    if !isThere { throw FileFault(action: "remove", path: path, code: ENOENT) }
  }

  /// Performs an operation according to its fate.
  ///
  /// Throws if the operation fails, or if the process ends with it.
  @discardableResult
  func change<Value>(
    _ operation: String, _ path: String, of number: Int? = nil, _ body: (inout DiskState, Fate) -> Value
  ) throws(FileFault) -> Value {
    willChange?(operation, path)
    let (value, code) = state.withLock { state -> (Value?, Int32) in
      let fate = state.fate(of: operation)
      switch fate {
      case .failed(let code):
        if operation == "synchronize", code != EINTR, let number {
          state.files[number]?.synchronizeNot(&state.generator)
        }
        return (nil, code)
      case .last: return (state.generator.oneIn(2) ? nil : body(&state, fate), EIO)
      case .done, .short: return (body(&state, fate), 0)
      }
    }
    if let value, code == 0 { return value }
    throw FileFault(action: operation, path: path, code: code)
  }
}

/// An open file of a simulated disk.
final class SimulatedFile: DiskFile {
  let path: String
  private let number: Int
  private let disk: SimulatedDisk

  init(_ path: String, _ number: Int, on disk: SimulatedDisk) {
    (self.path, self.number, self.disk) = (path, number, disk)
  }

  deinit { unlock() }

  private var file: SimulatedContents { disk.state.withLock { $0.files[number] } ?? SimulatedContents() }

  var size: Int { file.contents.count }
  var isLinked: Bool { disk.state.withLock { $0.names.values.contains(number) } }

  func hold() -> FileDescriptor.Hold {
    disk.state.withLock { state in
      if state.hasEnded { return .unknown }
      if let other = state.locks[number], other != ObjectIdentifier(self) { return .others }
      state.locks[number] = ObjectIdentifier(self)
      return .mine
    }
  }

  func unlock() {
    disk.state.withLock { state in
      if state.locks[number] == ObjectIdentifier(self) { state.locks[number] = nil }
    }
  }

  func read(_ count: Int, at offset: Int) -> [UInt8] { Array(file.contents.dropFirst(offset).prefix(count)) }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(FileFault) -> Int {
    let bytes = Array(bytes)
    return try disk.change("write", path) { [number] state, fate in
      let count =
        switch fate {
        case .short where bytes.count > 1: 1 + state.generator.below(bytes.count - 1)
        case .last: state.generator.below(bytes.count + 1)
        default: bytes.count
        }
      state.files[number]?.write(bytes.prefix(count), at: offset)
      return count
    }
  }

  func truncate(to size: Int) throws(FileFault) {
    try disk.change("shorten", path) { [number] state, _ in state.files[number]?.truncate(to: size) }
  }

  func synchronize() throws(FileFault) {
    try disk.flush(path, of: number) { [number] state, fate in
      if case .last = fate { return }
      state.files[number]?.synchronize()
    }
  }
}
