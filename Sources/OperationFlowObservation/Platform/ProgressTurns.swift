import Foundation
import OperationFlow

/// Lets one thread at a time change progresses, which may all be parts of the same one.
///
/// On Linux, two threads must not change a `Progress` at once, and a change also changes its ancestors, which belong to
/// users. The library can't prevent users from changing theirs. It can see that a progress is being added to another
/// one, for it is hashed then, but Foundation calls nothing of it at the end. So changes wait until the task or the thread
/// that adds calls the library again, as it does to await the outcome, or for a time in which it gets its turn on a busy
/// machine as well. Only a run that ends within this time, and is awaited by another task than the one that added its
/// progress, ends later for it. A program that hashes progresses all the time, as sets and dictionaries do, isn't waited
/// for longer than a second.
final class ProgressTurns: Sendable {
  static let shared = ProgressTurns()

  #if canImport(Darwin)
    /// Creates a progress that isn't a child of the current one.
    static func makeProgress() -> Progress { Progress(parent: nil) }

    /// Does nothing, because Foundation synchronizes threads itself.
    func noteReturn() {}

    /// Makes a change; if it can't be made now, returns false and calls `otherwise` when it can.
    func change(_ body: () -> Void, otherwise: @escaping @Sendable () -> Void) -> Bool {
      body()
      return true
    }
  #else
    /// Who calls the library: a task, which can do so from several threads one after the other, or else a thread.
    private static var caller: Int { withUnsafeCurrentTask { $0?.hashValue } ?? thread.hashValue }

    private struct State: ~Copyable, Sendable {
      /// The thread that is making a change.
      var changing: ObjectIdentifier?
      /// The tasks, or threads outside a task, that are adding a progress, and until when this is assumed.
      private(set) var adding: [(caller: Int, until: DispatchTime)] = []
      /// Until when changes wait for them, however often they add.
      private var limit = DispatchTime.now()
      var waiting: [@Sendable () -> Void] = []

      /// Whether a thread may be adding a progress now.
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

    // Invariant: progresses are changed by the library only while the lock is held.
    private let turn = NSLock()
    private let state = Locked(State())
    private static let patience = DispatchTimeInterval.milliseconds(250)

    /// Creates a progress that isn't a child of the current one.
    static func makeProgress() -> Progress { NoticedProgress(parent: nil) }

    /// The calling task or thread has called the library, so it isn't adding a progress now.
    func noteReturn() {
      let waiting = state.withLock { state -> [@Sendable () -> Void] in
        if state.adding.isEmpty { return [] }
        let (count, caller) = (state.adding.count, Self.caller)
        state.noteReturn(of: caller)
        return state.adding.count < count ? state.takeWaiting() : []
      }
      for body in waiting { body() }
    }

    /// Makes a change; if it can't be made now, returns false and calls `otherwise` when it can.
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
  /// A progress that reports when it is put into a set.
  private final class NoticedProgress: Progress, @unchecked Sendable {
    // Invariant: it has no state of its own.
    override var hash: Int {
      ProgressTurns.shared.noteAdding()
      return super.hash
    }
  }
#endif
