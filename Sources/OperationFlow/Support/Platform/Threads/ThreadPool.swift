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

    /// What belongs to a member's place, no matter which member has it.
    private final class Seat: @unchecked Sendable {
      let bell = DispatchSemaphore(value: 0)
      /// `nil` if it is a plain thread's.
      let queue: SerialOperationQueue?
      // Invariant: read and written only under the pool's lock.
      var probe: ThreadProbe?

      init(number: Int) { queue = number < queueCount ? SerialOperationQueue() : nil }
    }

    private struct State: ~Copyable, Sendable {
      var roster = ThreadRoster(width: max(2, ProcessInfo.processInfo.activeProcessorCount), limit: 1_024)
      var seats: [Seat] = []
      var jobs = Fifo<Job>()
      /// How many jobs have been taken up.
      var takenCount = 0

      /// All seats, with those of the members that are called, which are created when they are first used.
      mutating func seats(for calls: [ThreadRoster.Call]) -> [Seat] {
        for call in calls {
          while seats.count <= call.id.place { seats.append(Seat(number: seats.count)) }
        }
        return seats
      }
    }

    /// How many members run on operation queues; the others are plain threads.
    ///
    /// It is half of what libdispatch has for such queues, because the program may need some of them.
    private static let queueCount = 128
    /// How long a member rests before it leaves.
    private static let longestRest = DispatchTimeInterval.seconds(1)

    private let state = Locked(State())
    private let watch = ThreadPoolWatch()

    /// Runs a job `count` times, concurrently if that is useful.
    func add(_ count: Int, _ run: @escaping @Sendable () -> Void) {
      let job = Job(run: run)
      if count == 1, wakeMember(for: job) { return }
      let (calls, seats, isWatchNeeded) = state.withLock { state in
        for _ in 0..<count { state.jobs.append(job) }
        let calls = state.roster.call(for: state.jobs.count)
        // A member that is woken is sure to come; if one has to be created, or more jobs wait, the watch has to look.
        return (calls, state.seats(for: calls), calls.count < count || calls.contains(where: \.isNew))
      }
      perform(calls, seats)
      if isWatchNeeded { watch.wake(for: self) }
    }

    /// Runs a job on a member that rests, if nothing else waits; false if more has to be done.
    ///
    /// It is the way of nearly all jobs, and needs no lists.
    private func wakeMember(for job: Job) -> Bool {
      let bell = state.withLock { state -> DispatchSemaphore? in
        guard state.jobs.count == 0, let id = state.roster.wake() else { return nil }
        state.jobs.append(job)
        return state.seats[id.place].bell
      }
      bell?.signal()
      return bell != nil
    }

    // MARK: Members

    private func perform(_ calls: [ThreadRoster.Call], _ seats: [Seat]) {
      for call in calls {
        let seat = seats[call.id.place]
        if !call.isNew {
          seat.bell.signal()
        } else if let queue = seat.queue {
          queue.add { self.work(as: call.id) }
        } else {
          startThread(as: call.id)
        }
      }
    }

    private func startThread(as id: SlabID) {
      let thread = Thread { self.work(as: id) }
      thread.name = "OperationFlow"
      thread.start()
    }

    /// Runs a member from its arrival until it leaves.
    private func work(as id: SlabID) {
      let probe = ThreadProbe()
      let bell = state.withLock { state -> DispatchSemaphore? in
        guard state.roster.come(id) else { return nil }
        state.seats[id.place].probe = probe
        return state.seats[id.place].bell
      }
      guard let bell else { return }
      repeat {
        while let job = takeJob(as: id) { job.run() }
      } while isCalled(id, bell)
    }

    private func takeJob(as id: SlabID) -> Job? {
      state.withLock { state in
        guard let job = state.jobs.popFirst() else {
          state.roster.rest(id)
          return nil
        }
        state.takenCount += 1
        state.roster.work(id)
        return job
      }
    }

    /// Rests until the member is called; false if it wasn't called for a long time, and has left.
    private func isCalled(_ id: SlabID, _ bell: DispatchSemaphore) -> Bool {
      guard bell.wait(timeout: .now() + Self.longestRest) == .timedOut else { return true }
      let hasLeft = state.withLock { $0.roster.leave(id) }
      if !hasLeft { bell.wait() }
      return !hasLeft
    }
  }

  // MARK: - For the watch

  extension ThreadPool {
    /// The state of the pool while jobs wait.
    struct Look: Sendable {
      /// The members at work, and whether each was found to be blocked before.
      var members: [(id: SlabID, probe: ThreadProbe, wasBlocked: Bool)]
      /// New members that have not arrived.
      var missing: [SlabID]
      /// How many jobs have been taken up.
      var takenCount: Int
    }

    /// Whether no member can be added, and none is free.
    var isExhausted: Bool { state.withLock { $0.roster.isExhausted } }

    var hasWaitingJobs: Bool { state.withLock { $0.jobs.count > 0 } }

    /// The state of the pool; `nil` if no job waits.
    func look() -> Look? {
      state.withLock { state in
        guard state.jobs.count > 0 else { return nil }
        let members = state.roster.atWork.compactMap { id in
          state.seats[id.place].probe.map { (id: id, probe: $0, wasBlocked: state.roster.isBlocked(id)) }
        }
        return Look(members: members, missing: state.roster.missing, takenCount: state.takenCount)
      }
    }

    /// Calls more members if those at work are blocked, or in any case; false if it calls none.
    func callMore(_ found: [(id: SlabID, isBlocked: Bool)], inAnyCase: Bool) -> Bool {
      let (calls, seats) = state.withLock { state in
        for member in found { state.roster.note(member.id, isBlocked: member.isBlocked) }
        var calls = state.roster.callMore(for: state.jobs.count)
        if calls.isEmpty, inAnyCase { calls = state.roster.callOne() }
        return (calls, state.seats(for: calls))
      }
      perform(calls, seats)
      return !calls.isEmpty
    }

    /// Lets a plain thread take the place of a member whose queue has no thread.
    func replace(_ missing: SlabID) { startThread(as: missing) }
  }
#endif
