#if !canImport(Darwin)
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

    /// Calls so many members, no matter how many are at work.
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
      note(member, isBlocked: false)
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
      for (member, isBlocked) in found { note(member, isBlocked: isBlocked) }
      let missing = width - runningCount
      let calls = missing > 0 ? call(min(jobs.count, max(missing, blockedCount))) : []
      return calls.isEmpty && inAnyCase ? call(1) : calls
    }

    private mutating func note(_ member: Member, isBlocked: Bool) {
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
