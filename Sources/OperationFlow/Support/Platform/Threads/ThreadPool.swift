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

  /// Watches the pool on its own thread while jobs wait, and calls more members if those at work are blocked.
  final class ThreadPoolWatch: Sendable {
    static let shared = ThreadPoolWatch(of: .shared)

    /// The time between two looks, in microseconds: short at first, and longer while there is nothing to do.
    private static let pauses = (shortest: 250, longest: 8_000)
    /// The longest time, in microseconds, that a job waits for members that aren't blocked but don't finish.
    private static let longestStall = 1_000_000
    private let bell = DispatchSemaphore(value: 0)

    private init(of pool: ThreadPool) {
      let thread = Thread { [bell] in
        var round = Round()
        while true {
          bell.wait()
          round.begin()
          while let look = pool.look() { usleep(UInt32(round.take(look, of: pool))) }
        }
      }
      thread.name = "OperationFlow watch"
      thread.start()
    }

    /// Lets it look until no job waits.
    func wake() { bell.signal() }

    /// What was seen since jobs began to wait.
    private struct Round {
      /// Counts the looks of all rounds.
      private var number = 0
      private var pause = pauses.shortest
      /// How long no job has been taken up.
      private var stall = 0
      private var takenCount = 0

      /// What was seen before the pause between two rounds is too old to compare with.
      mutating func begin() { self = Round(number: number + 1) }

      /// Looks once, and returns how many microseconds to wait before the next look.
      mutating func take(_ look: ThreadRoster.Look, of pool: ThreadPool) -> Int {
        number += 1
        var found: [(member: ThreadRoster.Member, isBlocked: Bool)] = []
        for (member, probe, wasBlocked) in look.members {
          let sample = probe.sample()
          let last = exchange(&member.lastSeen, with: (number, sample))
          guard let last, last.look == number - 1 else { continue }
          found.append((member, probe.isBlocked(from: last.sample, to: sample, wasBlocked: wasBlocked)))
        }
        stall = look.takenCount == takenCount ? stall + pause : 0
        takenCount = look.takenCount
        let isStalled = stall > longestStall
        if isStalled { stall = 0 }
        // While threads wait for the run's own lock, it can't be said who is blocked by users' work.
        let hasCalled = (!PlatformLock.isAwaited || isStalled) && pool.callMore(found, inAnyCase: isStalled)
        pause = hasCalled || found.count < look.members.count ? pauses.shortest : min(pause * 2, pauses.longest)
        return pause
      }
    }
  }
#endif
