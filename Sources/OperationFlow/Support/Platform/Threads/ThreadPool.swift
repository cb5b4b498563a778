#if !canImport(Darwin)
  import Foundation

  /// Threads that run jobs in the order in which they arrive, shared by the whole process.
  ///
  /// Libdispatch adds only one thread a second to those that are blocked, and shares its threads with Swift's tasks. A
  /// `ThreadRoster` decides how many are needed, and `ThreadPoolWatch` sees which are blocked while jobs wait.
  final class ThreadPool: Sendable {
    static let shared = ThreadPool()
    private static let longestRest = DispatchTimeInterval.seconds(1)

    private let roster = Locked(ThreadRoster())

    /// Runs a job `count` times, concurrently if that is useful.
    func add(_ count: Int, _ run: @escaping @Sendable () -> Void) {
      let job = ThreadRoster.Job(run: run)
      if count == 1, let member = roster.withLock({ $0.wake(for: job) }) {
        member.bell.signal()
        return
      }
      let (calls, startsWatch) = roster.withLock { $0.add(job, count) }
      perform(calls)
      if startsWatch { ThreadPoolWatch.shared.wake() }
    }

    private func perform(_ calls: [ThreadRoster.Call]) {
      for (member, isNew) in calls {
        guard isNew else {
          member.bell.signal()
          continue
        }
        let thread = Thread { self.work(as: member) }
        thread.name = "OperationFlow"
        thread.start()
      }
    }

    private func work(as member: ThreadRoster.Member) {
      let probe = ThreadProbe()
      roster.withLock { _ in member.probe = probe }
      repeat {
        while let job = roster.withLock({ $0.takeJob(as: member) }) { job.run() }
      } while isCalled(member)
    }

    /// Rests until the member is called; false if it wasn't called for a long time, and has left.
    private func isCalled(_ member: ThreadRoster.Member) -> Bool {
      guard member.bell.wait(timeout: .now() + Self.longestRest) == .timedOut else { return true }
      let hasLeft = roster.withLock { $0.leave(member) }
      if !hasLeft { member.bell.wait() }
      return !hasLeft
    }

    // MARK: For the watch

    func look() -> ThreadRoster.Look? { roster.withLock { $0.look() } }

    /// Calls more members if those at work are blocked, or in any case; false if it calls none.
    func callMore(_ found: [(member: ThreadRoster.Member, isBlocked: Bool)], inAnyCase: Bool) -> Bool {
      let calls = roster.withLock { $0.callMore(found, inAnyCase: inAnyCase) }
      perform(calls)
      return !calls.isEmpty
    }
  }
#endif
