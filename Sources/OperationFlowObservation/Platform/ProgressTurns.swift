import Foundation
import OperationFlow

/// Lets one thread at a time change progresses, which may all be parts of the same one.
///
/// On Linux, two threads must not change a `Progress` at once, and a change also changes its ancestors, which belong to
/// users. The library can't prevent users from changing theirs. It can detect that a progress is being added to another
/// one, because Foundation hashes it then, but Foundation calls nothing when that is done. So changes wait until the
/// task or the thread that adds the progress calls the library again, as it does to await the outcome. The wait also
/// ends after a quarter of a second, in which the caller gets its turn on a busy machine as well. So a run ends later
/// only if it is short, and its outcome is awaited by a task that didn't add its progress. If a program hashes
/// progresses all the time, as sets and dictionaries do, changes wait for at most a second.
final class ProgressTurns: Sendable {
  static let shared = ProgressTurns()

  #if canImport(Darwin)
    /// Creates a progress that isn't a child of the current one.
    static func makeProgress() -> Progress { Progress(parent: nil) }

    /// Does nothing, because Foundation synchronizes threads itself.
    func noteReturn() {}

    /// Makes a change; if it isn't possible now, returns false, and calls `otherwise` when it is.
    func change(_ body: () -> Void, otherwise: @escaping @Sendable () -> Void) -> Bool {
      body()
      return true
    }
  #else
    /// The caller of the library: a task, which may call from several threads one after the other, or else a thread.
    private static var caller: Int { withUnsafeCurrentTask { $0?.hashValue } ?? thread.hashValue }

    private struct State: ~Copyable, Sendable {
      /// The thread that makes a change now.
      var changing: ObjectIdentifier?
      /// The tasks, or threads outside tasks, that are adding a progress, each with the time until which this is
      /// assumed.
      private(set) var adding: [(caller: Int, until: DispatchTime)] = []
      /// The time until which changes wait for them, however often they add.
      private var limit = DispatchTime.now()
      var waiting: [@Sendable () -> Void] = []

      /// True if a thread may be adding a progress now.
      var isAdding: Bool {
        mutating get {
          guard !adding.isEmpty else { return false }
          let now = DispatchTime.now()
          adding.removeAll { $0.until <= now }
          return !adding.isEmpty && now < limit
        }
      }

      mutating func noteAdding(by caller: Int) {
        let now = DispatchTime.now()
        adding.removeAll { $0.until <= now }
        if adding.isEmpty { limit = now + .milliseconds(1_000) }
        noteReturn(of: caller)
        adding.append((caller, now + ProgressTurns.patience))
      }

      mutating func noteReturn(of caller: Int) { adding.removeAll { $0.caller == caller } }

      mutating func takeWaiting() -> [@Sendable () -> Void] {
        guard !isAdding else { return [] }
        defer { waiting = [] }
        return waiting
      }
    }

    // Invariant: the library changes progresses only while this lock is held.
    private let turn = NSLock()
    private let state = Locked(State())
    private static let patience = DispatchTimeInterval.milliseconds(250)

    /// Creates a progress that isn't a child of the current one.
    static func makeProgress() -> Progress { NoticedProgress(parent: nil) }

    /// Records that the calling task or thread isn't adding a progress, because it has called the library.
    func noteReturn() {
      let waiting = state.withLock { state -> [@Sendable () -> Void] in
        if state.adding.isEmpty { return [] }
        let (count, caller) = (state.adding.count, Self.caller)
        state.noteReturn(of: caller)
        return state.adding.count < count ? state.takeWaiting() : []
      }
      for body in waiting { body() }
    }

    /// Makes a change; if it isn't possible now, returns false, and calls `otherwise` when it is.
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

    /// Records that the calling thread is about to insert a progress into the children of another one.
    fileprivate func noteAdding() {
      let thread = Self.thread
      guard state.withLock({ $0.changing != thread }) else { return }
      let caller = Self.caller
      turn.withLock { state.withLock { $0.noteAdding(by: caller) } }
      DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
        for body in self.state.withLock({ $0.takeWaiting() }) { body() }
      }
    }

    private static var thread: ObjectIdentifier { ObjectIdentifier(Thread.current) }
  #endif
}

#if !canImport(Darwin)
  /// A progress that reports when it is inserted into a set.
  private final class NoticedProgress: Progress, @unchecked Sendable {
    // Invariant: the class has no state of its own.
    override var hash: Int {
      ProgressTurns.shared.noteAdding()
      return super.hash
    }
  }
#endif
