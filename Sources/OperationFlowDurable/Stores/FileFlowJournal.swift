import Dispatch
import Foundation
import OperationFlow
import OperationFlowStorage

/// The journal of a `FileFlowStore`, with its open file.
///
/// It has two locks. A thread locks `turn` while it writes to the file. All decisions are made under `state`, which is
/// never locked during a call of the system, so no caller of `synchronize()` waits for the disk.
final class FileFlowJournal: FlowJournal {
  struct State {
    /// The file; `nil` once it is closed.
    var file: (any DiskFile)?
    var salt: UInt64
    var offsets: RecordOffsets
    /// The length of the journal; bytes beyond it are no part of the journal.
    var end: Int
    /// The number of bytes that are on the disk.
    var synced: Int
    /// The reason why nothing more can be written.
    var failure: FlowError?
    /// The calls that wait until everything up to now is on the disk.
    var waiters: [CheckedContinuation<Void, any Error>] = []
    /// The number of calls that are in progress.
    var callCount = 0
    var isClosed = false
  }

  /// The state of the thread that writes, with a buffer that is reused, so that an append needs no memory of its own.
  struct Turn {
    var buffer: [UInt8] = []
    /// The time of the next check that the file is still there.
    var nextCheck: UInt64 = 0
  }

  let id: String
  let path: String
  let newPath: String
  let folder: String
  let disk: any Disk
  let state: Locked<State>
  let turn = Locked(Turn())
  private let lock: JournalLock
  /// The queue on which a thread may wait for the disk.
  let queue = DispatchQueue(label: "OperationFlow.FileFlowStore")

  init(
    id: String, file: any DiskFile, contents: JournalContents, paths: (file: String, new: String, folder: String),
    lock: JournalLock, disk: any Disk
  ) {
    (self.id, self.lock, self.disk) = (id, lock, disk)
    (path, newPath, folder) = paths
    state = Locked(
      State(
        file: file, salt: contents.header.salt, offsets: contents.offsets, end: contents.end, synced: contents.synced))
  }

  deinit { close() }

  // MARK: Calls

  /// Begins a call, during which the file stays open, and returns the values that the call needs.
  func begin<Value>(_ body: (State, any DiskFile) throws -> Value) throws -> Value {
    try state.withLock { state in
      let value = try body(state, try check(state))
      state.callCount += 1
      return value
    }
  }

  /// Returns the file if it can be written.
  @discardableResult
  func check(_ state: State) throws -> any DiskFile {
    guard !state.isClosed, let file = state.file else { throw FlowError.closedJournal(id) }
    if let failure = state.failure { throw failure }
    return file
  }

  /// Ends calls after the last change that they make.
  func endCalls(_ count: Int, _ change: (inout State) -> Void = { _ in }) {
    let isLast = state.withLock { state in
      change(&state)
      state.callCount -= count
      return state.isClosed && state.callCount == 0
    }
    if isLast { unlock() }
  }

  func close() {
    let isLast = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed && state.callCount == 0
    }
    if isLast { unlock() }
  }

  /// Releases the file and its lock, even if the journal is still referred to.
  private func unlock() {
    let (file, isWritten) = state.withLock { state in
      defer { state.file = nil }
      return (state.file, state.failure == nil)
    }
    lock.release(isClosed: isWritten)
    withExtendedLifetime(file) {}
  }

  /// Records that nothing more can be written, because the contents of the disk are no longer certain.
  func fail(_ error: any Error) -> FlowError {
    let error = FlowError.journalFailed(id, error)
    state.withLock { $0.failure = $0.failure ?? error }
    return error
  }

  // MARK: Appending

  func append(_ entry: Data) throws {
    guard entry.count <= JournalFormat.largestEntry else { throw FlowError.tooLargeEntry(id, entry.count) }
    try turn.withLock { turn in
      let (file, end, synced, salt) = try begin { ($1, $0.end, $0.synced, $0.salt) }
      var isWritten = false
      defer {
        endCalls(1) { state in
          guard isWritten else { return }
          state.offsets.append(end)
          state.end += JournalFormat.recordLength + entry.count
        }
      }
      turn.buffer.removeAll(keepingCapacity: turn.buffer.capacity < 1 << 20)
      JournalRecord.append(entry, at: end, synced: synced, salt: salt, to: &turn.buffer)
      try checkName(of: file, &turn)
      try write(turn.buffer, to: file, at: end)
      isWritten = true
    }
  }

  /// Throws if the file was removed, because no other call would notice that.
  ///
  /// It checks at most once in ten milliseconds. On Linux, a write after a check needs twice the time, because it gives
  /// the file a new date.
  private func checkName(of file: any DiskFile, _ turn: inout Turn) throws {
    let now = DispatchTime.now().uptimeNanoseconds
    guard now >= turn.nextCheck else { return }
    guard file.isLinked else { throw fail(FlowError.removedJournal(id, path)) }
    turn.nextCheck = now + 10_000_000
  }

  /// Writes to the end of the file, or leaves the file as it was.
  private func write(_ bytes: [UInt8], to file: any DiskFile, at end: Int) throws {
    do {
      try file.writeAtOnce(bytes, at: end)
    } catch {
      do {
        try file.truncate(to: end)
        // Otherwise a power failure could restore a part of the bytes among those that are appended later.
        try file.synchronize()
      } catch {
        throw fail(named(error))
      }
      throw FlowError.journalFailed(id, named(error))
    }
  }

  /// Returns a fault with the journal's path: the file may have been opened under the name of a new one.
  private func named(_ error: any Error) -> any Error {
    guard let fault = error as? FileFault else { return error }
    return FileFault(action: fault.action, path: path, code: fault.code)
  }

  // MARK: Synchronizing

  func synchronize() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      let (result, isFirst) = state.withLock { state -> (Result<Void, any Error>?, Bool) in
        do { try check(state) } catch { return (.failure(error), false) }
        if state.synced >= state.end { return (.success(()), false) }
        state.callCount += 1
        state.waiters.append(continuation)
        return (nil, state.waiters.count == 1)
      }
      if let result { continuation.resume(with: result) }
      // All callers that arrive before the queue starts the work share it.
      if isFirst { queue.async { self.synchronizeForAll() } }
    }
  }

  private func synchronizeForAll() {
    let (waiters, file, end) = state.withLock { state in
      defer { state.waiters = [] }
      return (state.waiters, state.file, state.end)
    }
    let result = Result {
      guard let file else { throw FlowError.closedJournal(id) }
      guard file.isLinked else { throw fail(FlowError.removedJournal(id, path)) }
      do { try file.synchronize() } catch { throw fail(named(error)) }
      state.withLock { $0.synced = end }
    }
    // The calls end first, because a waiting caller may close the journal and open it again.
    endCalls(waiters.count)
    for waiter in waiters { waiter.resume(with: result) }
  }
}
