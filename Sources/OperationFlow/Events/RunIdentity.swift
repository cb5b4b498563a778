import Foundation

/// What identifies a run, and leads to its record until its engine is freed: a weak reference would make each count dearer.
final class RunIdentity: @unchecked Sendable {
  // Invariant: both variables are read and written only under the object's shared lock, so that the language need not check
  // for overlapping accesses; but the record is set before anything that reads it is given the object.
  @exclusivity(unchecked) private var record: Recorder?
  private var identifier: String?

  /// The record of a run that is not over; no shared lock may be held.
  var recorder: Recorder? { SharedLocks.all.withLock(of: self) { record } }

  /// Leads to the record, before any operation of the run is started.
  func begin(_ recorder: Recorder) { record = recorder }

  /// The engine is freed.
  func end() {
    // What is freed may use the run, so it isn't freed under the lock.
    _ = SharedLocks.all.withLock(of: self) { record.take() }
  }

  /// 32 hexadecimal digits that distinguish the run from all others; they are made when they are first asked for.
  var runIdentifier: String {
    let random = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return SharedLocks.all.withLock(of: self) {
      if let identifier { return identifier }
      identifier = random
      return random
    }
  }
}
