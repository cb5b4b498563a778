#if !canImport(Darwin)
  import Foundation

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
