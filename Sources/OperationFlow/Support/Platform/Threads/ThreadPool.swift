#if !canImport(Darwin)
  import Foundation

  /// Threads that run jobs in the order in which they arrive, shared by the whole process.
  ///
  /// Libdispatch adds only one thread a second if threads are blocked, and shares its threads with Swift's tasks. A
  /// `ThreadRoster` decides how many threads are needed, and `ThreadPoolWatch` detects blocked ones while jobs wait.
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

    /// Rests until the member is called; returns false if it wasn't called for a long time, and has left.
    private func isCalled(_ member: ThreadRoster.Member) -> Bool {
      guard member.bell.wait(timeout: .now() + Self.longestRest) == .timedOut else { return true }
      let hasLeft = roster.withLock { $0.leave(member) }
      if !hasLeft { member.bell.wait() }
      return !hasLeft
    }

    // MARK: For the watch

    func look() -> ThreadRoster.Look? { roster.withLock { $0.look() } }

    /// Calls more members if those at work are blocked, or in any case; returns false if it calls none.
    func callMore(_ found: [(member: ThreadRoster.Member, isBlocked: Bool)], inAnyCase: Bool) -> Bool {
      let calls = roster.withLock { $0.callMore(found, inAnyCase: inAnyCase) }
      perform(calls)
      return !calls.isEmpty
    }
  }

  /// Watches the pool on its own thread while jobs wait, and calls more members if those at work are blocked.
  final class ThreadPoolWatch: Sendable {
    static let shared = ThreadPoolWatch(of: .shared)

    /// The time between two looks, in microseconds: short at first, and longer while nothing has to be done.
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

    /// Starts looking at the pool, until no job waits.
    func wake() { bell.signal() }

    /// The observations since jobs began to wait.
    private struct Round {
      /// The number of looks in all rounds.
      private var number = 0
      private var pause = pauses.shortest
      /// The time, in microseconds, in which no job was started.
      private var stall = 0
      private var takenCount = 0

      /// Begins a round, and skips a number, because earlier samples are too old to compare with.
      mutating func begin() { self = Round(number: number + 1) }

      /// Looks once, and returns the number of microseconds to wait before the next look.
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
        // While threads wait for the library's own locks, a blocked thread may not be blocked by a user's work.
        let hasCalled = (!PlatformLock.isAwaited || isStalled) && pool.callMore(found, inAnyCase: isStalled)
        pause = hasCalled || found.count < look.members.count ? pauses.shortest : min(pause * 2, pauses.longest)
        return pause
      }
    }
  }
  import Foundation

  /// The jobs of a pool, and the threads that run them: as many as are useful, and one more for each that is blocked.
  ///
  /// The roster creates no threads itself. A member is called, works, rests, and is called again or leaves.
  struct ThreadRoster: ~Copyable, Sendable {
    /// A struct, because generic code would wrap a closure that it stores in another closure.
    struct Job: Sendable { let run: @Sendable () -> Void }

    /// A thread of the pool, from its first call until it leaves.
    final class Member: @unchecked Sendable {
      // Invariant: `lastSeen` is used only by the watch's thread, the other variables only under the roster's lock.
      /// The semaphore on which the member waits while it rests.
      let bell = DispatchSemaphore(value: 0)
      /// The probe of the member's thread; `nil` until the thread has begun.
      var probe: ThreadProbe?
      fileprivate(set) var isAtWork = false
      /// True if the member was waiting when last observed, and so leaves its processor to others.
      fileprivate(set) var isBlocked = false
      /// The last sample of the watch, and the number of that look.
      var lastSeen: (look: Int, sample: ThreadProbe.Sample)?
    }

    /// A member that is needed: a new one has to be started, any other rests and has to be woken.
    typealias Call = (member: Member, isNew: Bool)

    /// The members at work, each with its last known state, and the number of jobs that were started.
    typealias Look = (members: [(member: Member, probe: ThreadProbe, wasBlocked: Bool)], takenCount: Int)

    /// The number of threads that are useful at once.
    private let width: Int
    /// The largest number of threads.
    private let limit: Int
    private(set) var members: [Member] = []
    /// The resting members, of which the last to rest is called first, so that the others may leave.
    private var resting: [Member] = []
    private var blockedCount = 0
    var jobs = Fifo<Job>()
    private var takenCount = 0
    /// True while the watch looks at the roster, which it does until no job waits.
    private var isWatched = false

    init(width: Int = max(2, ProcessInfo.processInfo.activeProcessorCount), limit: Int = 1_024) {
      self.width = width
      self.limit = limit
    }

    /// True if no member can be added, and none rests.
    var isExhausted: Bool { members.count >= limit && resting.isEmpty }

    /// The number of members that use a processor, or are about to.
    private var runningCount: Int { members.count - resting.count - blockedCount }

    /// Adds a job `count` times; returns the members to call for it, and true if the watch has to be woken.
    mutating func add(_ job: Job, _ count: Int) -> (calls: [Call], startsWatch: Bool) {
      for _ in 0..<count { jobs.append(job) }
      let calls = call(min(jobs.count, width - runningCount))
      // A woken member is sure to run; if one has to be created, or more jobs wait, the watch has to look.
      let startsWatch = (calls.count < count || calls.contains(where: \.isNew)) && !isWatched
      if startsWatch { isWatched = true }
      return (calls, startsWatch)
    }

    /// Calls this many members, however many are at work; fewer if the limit is reached.
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

    /// Returns the next job for a member, which rests if there is none.
    mutating func takeJob(as member: Member) -> Job? {
      mark(member, isBlocked: false)
      let job = jobs.popFirst()
      member.isAtWork = job != nil
      if job == nil { resting.append(member) } else { takenCount += 1 }
      return job
    }

    /// Removes a member that has rested for a long time; returns false if it was called in the meantime.
    mutating func leave(_ member: Member) -> Bool {
      guard let index = resting.firstIndex(where: { $0 === member }) else { return false }
      resting.remove(at: index)
      members.removeAll { $0 === member }
      return true
    }

    // MARK: For the watch

    /// Returns the state for the watch; `nil` if no job waits: the watch is then woken when it is needed again.
    mutating func look() -> Look? {
      isWatched = jobs.count > 0
      guard isWatched else { return nil }
      let atWork = members.lazy.filter(\.isAtWork)
      return (atWork.compactMap { member in member.probe.map { (member, $0, member.isBlocked) } }, takenCount)
    }

    /// Calls more members if too few of those at work make progress: at least as many as are blocked.
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

  /// An observer of a thread, from another thread, that detects if the thread works or waits.
  struct ThreadProbe: Sendable {
    /// The processor time that a thread has used, and the time of the measurement, in nanoseconds.
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

    /// Returns the processor time that the thread has used so far; 0 if it can't be measured.
    func sample() -> Sample { (Self.time(on: CLOCK_MONOTONIC), clock.map(Self.time(on:)) ?? 0) }

    /// Returns true if the thread used less than an eighth of the time between two samples, and isn't runnable now.
    func isBlocked(from first: Sample, to last: Sample, wasBlocked: Bool) -> Bool {
      let used = last.used - first.used
      if used * 8 > last.time - first.time { return false }
      // Reading the thread's state is the most expensive part, so it is done last.
      return (wasBlocked && used == 0) || !isRunnable
    }

    /// True if the thread has a processor or is waiting for one; false if the system doesn't report it.
    private var isRunnable: Bool {
      // The file contains the number, the name in parentheses, and the state as one letter.
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
