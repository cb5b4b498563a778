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
          while let look = pool.look() { usleep(UInt32(round.apply(look, of: pool))) }
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
      mutating func apply(_ look: ThreadRoster.Look, of pool: ThreadPool) -> Int {
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
  import Foundation

  /// The jobs of a pool, and the threads that run them: as many as are useful, and one more for each that is blocked.
  ///
  /// It makes no threads itself. A member is called, works, rests, and is called again or leaves.
  struct ThreadRoster: ~Copyable, Sendable {
    /// In a struct, because generic code would wrap a closure that it stores in another one.
    struct Job: Sendable { let run: @Sendable () -> Void }

    /// A thread of the pool, from when it is first called until it leaves.
    final class Member: @unchecked Sendable {
      // Invariant: `lastSeen` is used by the watch's thread only, the other variables only under the roster's lock.
      /// What it waits for while it rests.
      let bell = DispatchSemaphore(value: 0)
      /// What observes it; `nil` until its thread has begun.
      var probe: ThreadProbe?
      fileprivate(set) var isAtWork = false
      /// Whether it was last seen waiting for something, and so leaves its processor to others.
      fileprivate(set) var isBlocked = false
      /// What the watch has seen of it last, and the number of that look.
      var lastSeen: (look: Int, sample: ThreadProbe.Sample)?
    }

    /// A member that is needed: a new one is to be started, any other rests and is to be woken.
    typealias Call = (member: Member, isNew: Bool)

    /// The members at work, with whether each was found to be blocked before, and how many jobs have been taken up.
    typealias Look = (members: [(member: Member, probe: ThreadProbe, wasBlocked: Bool)], takenCount: Int)

    /// How many threads are useful at once.
    private let width: Int
    /// How many threads there are at most.
    private let limit: Int
    private(set) var members: [Member] = []
    /// The member that has rested for the shortest time is last and is called first, so that the others may leave.
    private var resting: [Member] = []
    private var blockedCount = 0
    var jobs = Fifo<Job>()
    private var takenCount = 0
    /// Whether the watch looks at it, which it does until no job waits.
    private var isWatched = false

    init(width: Int = max(2, ProcessInfo.processInfo.activeProcessorCount), limit: Int = 1_024) {
      self.width = width
      self.limit = limit
    }

    /// Whether no member can be added, and none is free.
    var isExhausted: Bool { members.count >= limit && resting.isEmpty }

    /// How many members use a processor, or are about to.
    private var runningCount: Int { members.count - resting.count - blockedCount }

    /// Adds a job `count` times; returns the members that are missing for it, and whether the watch has to be woken.
    mutating func add(_ job: Job, _ count: Int) -> (calls: [Call], startsWatch: Bool) {
      for _ in 0..<count { jobs.append(job) }
      let calls = call(min(jobs.count, width - runningCount))
      // A member that is woken is sure to come; if one has to be created, or more jobs wait, the watch has to look.
      let startsWatch = (calls.count < count || calls.contains(where: \.isNew)) && !isWatched
      if startsWatch { isWatched = true }
      return (calls, startsWatch)
    }

    /// Calls this many members, however many are at work.
    private mutating func call(_ count: Int) -> [Call] {
      var calls: [Call] = []
      while calls.count < count {
        if let member = resting.popLast() {
          calls.append((member, isNew: false))
        } else if members.count < limit {
          let member = Member()
          members.append(member)
          calls.append((member, isNew: true))
        } else {
          break
        }
      }
      return calls
    }

    /// The next job for a member, which rests if there is none.
    mutating func takeJob(as member: Member) -> Job? {
      mark(member, isBlocked: false)
      let job = jobs.popFirst()
      member.isAtWork = job != nil
      if job == nil { resting.append(member) } else { takenCount += 1 }
      return job
    }

    /// A member has rested for a long time; false if it has been called in the meantime.
    mutating func leave(_ member: Member) -> Bool {
      guard let index = resting.firstIndex(where: { $0 === member }) else { return false }
      resting.remove(at: index)
      members.removeAll { $0 === member }
      return true
    }

    // MARK: For the watch

    /// What the watch looks at; `nil` if no job waits, and then it is woken when it is needed again.
    mutating func look() -> Look? {
      isWatched = jobs.count > 0
      guard isWatched else { return nil }
      let atWork = members.lazy.filter(\.isAtWork)
      return (atWork.compactMap { member in member.probe.map { (member, $0, member.isBlocked) } }, takenCount)
    }

    /// Calls more members if too few of those at work make progress: as many as are blocked, so that their number doubles.
    mutating func callMore(_ found: [(member: Member, isBlocked: Bool)], inAnyCase: Bool) -> [Call] {
      for (member, isBlocked) in found { mark(member, isBlocked: isBlocked) }
      let missing = width - runningCount
      let calls = missing > 0 ? call(min(jobs.count, max(missing, blockedCount))) : []
      return calls.isEmpty && inAnyCase ? call(1) : calls
    }

    private mutating func mark(_ member: Member, isBlocked: Bool) {
      guard member.isBlocked != isBlocked, member.isAtWork else { return }
      member.isBlocked = isBlocked
      blockedCount += isBlocked ? 1 : -1
    }
  }

  /// Observes from another thread whether a thread is working or waiting.
  struct ThreadProbe: Sendable {
    /// How much processor time a thread has used, and when that was measured, in nanoseconds.
    typealias Sample = (time: Int64, used: Int64)

    private let clock: clockid_t?
    /// The file in which the system reports the thread's state; empty if there is none.
    private let path: String

    /// Creates a probe of the calling thread.
    init() {
      var clock = clockid_t()
      self.clock = pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil
      let name = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")) ?? ""
      path = name.isEmpty ? "" : "/proc/" + name + "/stat"
    }

    /// How much time the thread has used so far; 0 if that can't be known.
    func sample() -> Sample { (Self.time(on: CLOCK_MONOTONIC), clock.map(Self.time(on:)) ?? 0) }

    /// Whether it was blocked between two samples: it used less than an eighth of the time, and isn't runnable now.
    func isBlocked(from first: Sample, to last: Sample, wasBlocked: Bool) -> Bool {
      let used = last.used - first.used
      if used * 8 > last.time - first.time { return false }
      // The look at its state is the most costly part.
      return (wasBlocked && used == 0) || !isRunnable
    }

    /// Whether the thread has a processor or is waiting for one; false if the system doesn't report it.
    private var isRunnable: Bool {
      // The number, the name in parentheses, and the state as one letter.
      guard let text = FileManager.default.contents(atPath: path), let end = text.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      return text[end...].dropFirst(2).first == UInt8(ascii: "R")
    }

    private static func time(on clock: clockid_t) -> Int64 {
      var time = timespec()
      return clock_gettime(clock, &time) == 0 ? Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) : 0
    }
  }
#endif
