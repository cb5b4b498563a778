import Foundation

/// Has one thread at a time change progresses, which may all be parts of one.
///
/// On Linux a `Progress` may not be changed by two threads at once, and a change of one changes those above it, which
/// belong to users. These can't be kept from changing theirs, but it can be seen that a progress is being added to
/// another one, though not when that is over. So changes wait then, until the thread comes back to the library, or for a
/// moment that is a thousand times as long as it takes.
final class ProgressTurns: @unchecked Sendable {
  static let shared = ProgressTurns()

  #if canImport(Darwin)
    /// A progress that is no child of the one that is current where it is made.
    static func makeProgress() -> Progress { Progress(parent: nil) }

    /// Foundation keeps threads apart itself.
    func noteReturn() {}

    /// Makes a change; if it can't be made now, calls `otherwise` when it can, and returns false.
    func change(_ body: () -> Void, otherwise: @escaping @Sendable () -> Void) -> Bool {
      body()
      return true
    }
  #else
    private struct State: Sendable {
      /// The thread that makes a change.
      var changing: ObjectIdentifier?
      /// Threads that are adding a progress to another one, and until when that is believed.
      var adding: [ObjectIdentifier: DispatchTime] = [:]
      var waiting: [@Sendable () -> Void] = []

      /// Whether a thread may be adding a progress now.
      var isAdding: Bool {
        mutating get {
          guard !adding.isEmpty else { return false }
          let now = DispatchTime.now()
          adding = adding.filter { $0.value > now }
          return !adding.isEmpty
        }
      }

      mutating func takeWaiting() -> [@Sendable () -> Void] {
        guard !isAdding else { return [] }
        defer { waiting = [] }
        return waiting
      }
    }

    // Invariant: progresses are changed by the library only while the lock is held.
    private let turn = NSLock()
    private let state = Locked(State())
    private static let patience = DispatchTimeInterval.milliseconds(5)

    /// A progress that is no child of the one that is current where it is made.
    static func makeProgress() -> Progress { NoticedProgress(parent: nil) }

    /// The calling thread has come to the library, so that it is adding nothing now.
    func noteReturn() {
      let waiting = state.withLock { state -> [@Sendable () -> Void] in
        guard !state.adding.isEmpty, state.adding.removeValue(forKey: Self.thread) != nil else { return [] }
        return state.takeWaiting()
      }
      for body in waiting { body() }
    }

    /// Makes a change; if it can't be made now, calls `otherwise` when it can, and returns false.
    func change(_ body: () -> Void, otherwise: @escaping @Sendable () -> Void) -> Bool {
      turn.withLock {
        let mayChange = state.withLock { state in
          guard !state.isAdding else {
            state.waiting.append(otherwise)
            return false
          }
          state.changing = Self.thread
          return true
        }
        guard mayChange else { return false }
        body()
        state.withLock { $0.changing = nil }
        return true
      }
    }

    /// The calling thread is about to put a progress into the set of another one's children.
    fileprivate func noteAdding() {
      let thread = Self.thread
      guard state.withLock({ $0.changing != thread }) else { return }
      turn.withLock { state.withLock { $0.adding[thread] = .now() + Self.patience } }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
        for body in self.state.withLock({ $0.takeWaiting() }) { body() }
      }
    }

    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
  #endif
}

#if !canImport(Darwin)
  /// Tells when it is put into a set.
  private final class NoticedProgress: Progress, @unchecked Sendable {
    override var hash: Int {
      ProgressTurns.shared.noteAdding()
      return super.hash
    }
  }
#endif
