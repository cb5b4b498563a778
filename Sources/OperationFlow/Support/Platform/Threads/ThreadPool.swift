#if !canImport(Darwin)
  import Foundation

  /// Threads that run jobs in the order in which they arrive, shared by the whole process.
  ///
  /// Libdispatch adds one thread a second to those that are blocked, and shares its threads with Swift's tasks. These
  /// threads are separate: a `ThreadRoster` decides how many are needed, and `ThreadPoolWatch` sees which are blocked
  /// while jobs wait.
  final class ThreadPool: Sendable {
    static let shared = ThreadPool()

    /// In a struct, because generic code would wrap a closure that it stores in another one.
    struct Job: Sendable { let run: @Sendable () -> Void }

    private struct State: ~Copyable, Sendable {
      var roster = ThreadRoster(width: max(2, ProcessInfo.processInfo.activeProcessorCount), limit: 1_024)
      var jobs = Fifo<Job>()
      var takenCount = 0
      /// Whether the watch looks at the pool, which it does until no job waits.
      var isWatched = false
    }

    private static let longestRest = DispatchTimeInterval.seconds(1)

    private let state = Locked(State())

    /// Runs a job `count` times, concurrently if that is useful.
    func add(_ count: Int, _ run: @escaping @Sendable () -> Void) {
      let job = Job(run: run)
      if count == 1, wakeMember(for: job) { return }
      let (calls, startsWatch) = state.withLock { state in
        for _ in 0..<count { state.jobs.append(job) }
        let calls = state.roster.call(for: state.jobs.count)
        // A member that is woken is sure to come; if one has to be created, or more jobs wait, the watch has to look.
        let startsWatch = (calls.count < count || calls.contains(where: \.isNew)) && !state.isWatched
        if startsWatch { state.isWatched = true }
        return (calls, startsWatch)
      }
      perform(calls)
      if startsWatch { ThreadPoolWatch.shared.wake() }
    }

    /// Runs a job on a member that rests, if nothing else waits; false if more has to be done.
    ///
    /// It is the way of nearly all jobs, and needs no list.
    private func wakeMember(for job: Job) -> Bool {
      let member = state.withLock { state -> ThreadRoster.Member? in
        guard state.jobs.count == 0, let member = state.roster.wake() else { return nil }
        state.jobs.append(job)
        return member
      }
      member?.bell.signal()
      return member != nil
    }

    // MARK: Members

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
      state.withLock { _ in member.probe = probe }
      repeat {
        while let job = takeJob(as: member) { job.run() }
      } while isCalled(member)
    }

    private func takeJob(as member: ThreadRoster.Member) -> Job? {
      state.withLock { state in
        guard let job = state.jobs.popFirst() else {
          state.roster.rest(member)
          return nil
        }
        state.takenCount += 1
        state.roster.work(member)
        return job
      }
    }

    /// Rests until the member is called; false if it wasn't called for a long time, and has left.
    private func isCalled(_ member: ThreadRoster.Member) -> Bool {
      guard member.bell.wait(timeout: .now() + Self.longestRest) == .timedOut else { return true }
      let hasLeft = state.withLock { $0.roster.leave(member) }
      if !hasLeft { member.bell.wait() }
      return !hasLeft
    }

    // MARK: For the watch

    /// The members at work, with whether each was found to be blocked before, and how many jobs have been taken up.
    typealias Look = (
      members: [(member: ThreadRoster.Member, probe: ThreadProbe, wasBlocked: Bool)], takenCount: Int
    )

    var isExhausted: Bool { state.withLock { $0.roster.isExhausted } }

    /// The state of the pool; `nil` if no job waits, and then the watch is woken when it is needed again.
    func look() -> Look? {
      state.withLock { state in
        guard state.jobs.count > 0 else {
          state.isWatched = false
          return nil
        }
        let members = state.roster.atWork.compactMap { member in
          member.probe.map { (member: member, probe: $0, wasBlocked: member.isBlocked) }
        }
        return (members, state.takenCount)
      }
    }

    /// Calls more members if those at work are blocked, or in any case; false if it calls none.
    func callMore(_ found: [(member: ThreadRoster.Member, isBlocked: Bool)], inAnyCase: Bool) -> Bool {
      let calls = state.withLock { state in
        for (member, isBlocked) in found { state.roster.note(member, isBlocked: isBlocked) }
        let calls = state.roster.callMore(for: state.jobs.count)
        return calls.isEmpty && inAnyCase ? state.roster.call(1) : calls
      }
      perform(calls)
      return !calls.isEmpty
    }
  }
#endif
