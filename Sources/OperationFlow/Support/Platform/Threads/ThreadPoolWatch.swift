#if !canImport(Darwin)
  import Foundation

  /// Watches a pool on its own thread while jobs wait, and calls more members if those at work are blocked.
  final class ThreadPoolWatch: Sendable {
    private enum Phase: Sendable {
      case absent, asleep, awake
    }

    /// The time between two looks, in microseconds: short at first, and longer while there is nothing to do.
    private static let pauses = (shortest: 250, longest: 8_000)
    /// How long, in microseconds, a queue may leave a member without a thread before a plain thread takes its place.
    private static let longestAbsence = 100_000
    /// The longest time, in microseconds, that a job waits for members that aren't blocked but don't finish.
    private static let longestStall = 1_000_000

    private let phase = Locked(Phase.absent)
    private let bell = DispatchSemaphore(value: 0)

    /// Makes sure that the pool is being watched.
    func wake(for pool: ThreadPool) {
      let before = phase.withLock { phase in
        defer { phase = .awake }
        return phase
      }
      switch before {
      case .awake: break
      case .asleep: bell.signal()
      case .absent:
        let thread = Thread { self.lookAfter(pool) }
        thread.name = "OperationFlow watch"
        thread.start()
      }
    }

    private func lookAfter(_ pool: ThreadPool) {
      repeat {
        var round = Round()
        while let look = pool.look() { usleep(UInt32(round.take(look, of: pool))) }
      } while isWoken(for: pool)
    }

    /// Sleeps until it is woken; false if it isn't woken for a second, after which nothing watches the pool.
    private func isWoken(for pool: ThreadPool) -> Bool {
      phase.withLock { $0 = .asleep }
      // A job that came in between didn't wake the watch.
      if pool.hasWaitingJobs, goes(to: .awake) { return true }
      guard bell.wait(timeout: .now() + .seconds(1)) == .timedOut else { return true }
      if goes(to: .absent) { return false }
      bell.wait()
      return true
    }

    /// Ends the sleep; false if the watch has already been woken.
    private func goes(to next: Phase) -> Bool {
      phase.withLock { phase in
        guard case .asleep = phase else { return false }
        phase = next
        return true
      }
    }

    // MARK: A round

    /// What was seen since jobs began to wait.
    private struct Round {
      private var pause = pauses.shortest
      private var samples: [SlabID: ThreadProbe.Sample] = [:]
      /// How long no job has been taken up.
      private var stall = 0
      private var takenCount = 0
      /// How long new members have been missing.
      private var absences: [SlabID: Int] = [:]

      /// Looks once, and returns how many microseconds to wait before the next look.
      mutating func take(_ look: ThreadPool.Look, of pool: ThreadPool) -> Int {
        var next: [SlabID: ThreadProbe.Sample] = [:]
        var found: [(id: SlabID, isBlocked: Bool)] = []
        for (id, probe, wasBlocked) in look.members {
          let sample = probe.sample()
          next[id] = sample
          guard let last = samples[id] else { continue }
          found.append((id, probe.isBlocked(from: last, to: sample, wasBlocked: wasBlocked)))
        }
        let knowsAll = found.count == next.count
        samples = next
        stall = look.takenCount == takenCount ? stall + pause : 0
        takenCount = look.takenCount
        let isStalled = stall > longestStall
        if isStalled { stall = 0 }
        replaceMissing(look.missing, of: pool)
        // While threads wait for the run's own lock, it can't be said who is blocked by users' work.
        let hasCalled = (LockWaits.isEmpty || isStalled) && pool.callMore(found, inAnyCase: isStalled)
        pause = hasCalled || !knowsAll ? pauses.shortest : min(pause * 2, pauses.longest)
        return pause
      }

      private mutating func replaceMissing(_ missing: [SlabID], of pool: ThreadPool) {
        guard !missing.isEmpty || !absences.isEmpty else { return }
        let before = absences
        absences = [:]
        for id in missing {
          let absence = before[id, default: 0] + pause
          absences[id] = absence
          if absence > longestAbsence, absence - pause <= longestAbsence { pool.replace(id) }
        }
      }
    }
  }
#endif
