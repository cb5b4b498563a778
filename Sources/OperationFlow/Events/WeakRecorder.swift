import Foundation

/// A weak reference to a record: one object that all others share, so that it costs each of them little.
final class WeakRecorder: @unchecked Sendable {
  // Invariant: the reference is set at most once, before anything that reads it is given the object, and the runtime makes
  // weak references safe to read on any thread; the identifier is read and written only under the object's shared lock.
  weak var recorder: Recorder?
  private var identifier: String?

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
