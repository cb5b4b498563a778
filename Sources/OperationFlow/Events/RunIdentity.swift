import Foundation

/// What identifies a run, and leads to its record until its engine is freed: a weak reference would make each count dearer.
final class RunIdentity: Sendable {
  private struct State: Sendable {
    var recorder: Recorder?
    var identifier: String?
  }

  private let state = Locked(State())

  /// The record of a run that is not over.
  var recorder: Recorder? { state.withLock { $0.recorder } }

  /// Leads to the record, before any operation of the run is started.
  func begin(_ recorder: Recorder) { state.withLock { $0.recorder = recorder } }

  /// The engine is freed.
  func end() {
    // What is freed may use the run, so it isn't freed under the lock.
    _ = state.withLock { $0.recorder.take() }
  }

  /// 32 hexadecimal digits that distinguish the run from all others; they are made when they are first asked for.
  var runIdentifier: String {
    let random = UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    return state.withLock { $0.identifier.orNew(random) }
  }
}
