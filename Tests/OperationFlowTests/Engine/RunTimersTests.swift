import Testing

@testable import OperationFlow

@Suite(.watched) struct RunTimersTests {
  private func ids(_ count: Int) -> [TimerID] {
    var slab = Slab<Int>()
    return (0..<count).map { slab.insert($0) }
  }

  @Test func `timers fire in the order of their deadlines, whatever the order in which they were started`() async {
    let clock = SleepingClock()
    let fired = Journal<TimerID>()
    let done = Tally()
    let timers = clock.makeTimers {
      fired.append($0)
      done.add()
    }
    let ids = ids(4)
    for (index, seconds) in [3, 1, 4, 2].enumerated() { timers.start(ids[index], after: .seconds(seconds)) }
    await clock.somethingSleeps()
    clock.advance(by: .seconds(10))
    await done.reach(4)
    #expect(fired.entries == [ids[1], ids[3], ids[0], ids[2]])
  }

  @Test func `a timer that is stopped does not fire, and an earlier one is waited for first`() async {
    let clock = SleepingClock()
    let fired = Journal<TimerID>()
    let done = Tally()
    let timers = clock.makeTimers {
      fired.append($0)
      done.add()
    }
    let ids = ids(3)
    timers.start(ids[0], after: .seconds(10))
    timers.start(ids[1], after: .seconds(1))
    timers.start(ids[2], after: .seconds(5))
    timers.stop(ids[1])
    await clock.somethingSleeps()
    clock.advance(by: .seconds(20))
    await done.reach(2)
    #expect(fired.entries == [ids[2], ids[0]] && clock.mostSleepers == 1)
  }

  @Test func `a stop that comes before its start counts, and nothing waits`() async {
    let clock = SleepingClock()
    let done = Tally()
    let timers = clock.makeTimers { _ in done.add() }
    let ids = ids(2)
    timers.stop(ids[0])
    timers.start(ids[0], after: .seconds(1))
    #expect(clock.sleepCount == 0)
    timers.start(ids[1], after: .seconds(2))
    await clock.somethingSleeps()
    clock.advance(by: .seconds(3))
    await done.reach(1)
    #expect(done.count == 1)
  }

  @Test func `the language's own clocks serve as well`() async {
    let done = Tally()
    let timers = ContinuousClock().makeTimers { _ in done.add() }
    timers.start(ids(1)[0], after: .milliseconds(1))
    await done.reach(1)
  }
}
