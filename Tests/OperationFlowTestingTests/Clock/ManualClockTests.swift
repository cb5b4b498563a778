import Foundation
import OperationFlow
import OperationFlowTesting
import TestSupport
import Testing

@Suite(.watched) struct ManualClockTests {
  @Test func `a sleep ends when its time has come, and not before`() async throws {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.untilSleeping()
    await clock.advance(by: .seconds(4))
    #expect(clock.sleeperCount == 1 && clock.now.offset == .seconds(4))
    await clock.advance(by: .seconds(1))
    try await task.value
    #expect(clock.sleeperCount == 0 && clock.now == ManualClock.Instant(offset: .seconds(5)))
  }

  @Test func `those that sleep are woken in the order of their times, and at these times`() async throws {
    let clock = ManualClock()
    let woken = Journal<Duration>()
    let tasks = [3, 1, 2].map { seconds in
      Task {
        try await clock.sleep(for: .seconds(seconds))
        woken.append(.seconds(seconds))
      }
    }
    await clock.untilSleeping(3)
    for expected in 1...3 {
      #expect(await clock.advanceToNextTimer() == .seconds(1))
      #expect(clock.now.offset == .seconds(expected))
    }
    for task in tasks { try await task.value }
    #expect(Set(woken.entries) == [.seconds(1), .seconds(2), .seconds(3)])
  }

  @Test func `tasks that let time pass in loops leave threads to the others`() async {
    let (clock, isOver, begun) = (ManualClock(), Signal(), Tally())
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask {
          begun.add()
          while !isOver.isOn { await clock.advance(by: .seconds(1)) }
        }
      }
      await begun.reach(count)
      isOver.fire()
    }
  }

  @Test func `the next timer is waited for if there is none`() async throws {
    let clock = ManualClock()
    async let passed = clock.advanceToNextTimer()
    try await clock.sleep(for: .seconds(60))
    #expect(await passed == .seconds(60))
  }

  @Test func `a sleep ends as cancelled with its task, however early`() async {
    let clock = ManualClock()
    let task = Task { try await clock.sleep(for: .seconds(5)) }
    await clock.untilSleeping()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(5))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a sleep until a moment that has passed ends at once`() async throws {
    let clock = ManualClock()
    await clock.advance(by: .seconds(10))
    try await clock.sleep(until: ManualClock.Instant(offset: .seconds(10)))
    try await clock.sleep(for: .seconds(-1))
    await clock.advance(by: .seconds(-5))
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `its dates begin at a fixed moment, or at the one that it is given, and follow its time`() async {
    let clock = ManualClock()
    #expect(clock.date == ManualClock.standardStart && clock.date.timeIntervalSinceReferenceDate == 0)
    await clock.advance(by: .milliseconds(1500))
    #expect(clock.date.timeIntervalSinceReferenceDate == 1.5)
    let other = ManualClock(startingAt: ManualClock.standardStart.addingTimeInterval(60))
    #expect(other.date.timeIntervalSinceReferenceDate == 60)
  }

  @Test func `time passes by itself while some work is under way, and stops with it`() async throws {
    let clock = ManualClock()
    let count = try await clock.lettingTimePass {
      for _ in 0..<100 { try await clock.sleep(for: .seconds(60)) }
      return 100
    }
    #expect(count == 100 && clock.now.offset == .seconds(6000))
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await clock.untilSleeping()
    await clock.untilIdle()
    #expect(clock.now.offset == .seconds(6000))
    task.cancel()
  }

  @Test func `many that sleep are all woken, each at its time`() async throws {
    let clock = ManualClock()
    var generator = SeededGenerator(seed: 3)
    let times = (0..<500).map { _ in Int.random(in: 1...200, using: &generator) }
    let late = Tally()
    await withTaskGroup(of: Void.self) { group in
      for time in times {
        group.addTask {
          try? await clock.sleep(for: .seconds(time))
          if clock.now.offset < .seconds(time) { late.add() }
        }
      }
      await clock.untilSleeping(500)
      await clock.advance(by: .seconds(200))
    }
    #expect(late.count == 0 && clock.sleeperCount == 0)
  }
}
