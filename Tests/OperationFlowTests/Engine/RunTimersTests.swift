import Testing

@testable import OperationFlow

@Suite(.watched) struct RunTimersTests {
  private func ids(_ count: Int) -> [TimerID] {
    var slab = Slab<Int>()
    return (0..<count).map { slab.insert($0) }
  }

  private func start(_ timer: TimerID, after time: Duration) -> TimerChanges {
    var changes = TimerChanges()
    changes.append(.start(timer, time))
    return changes
  }

  private func stop(_ timer: TimerID) -> TimerChanges {
    var changes = TimerChanges()
    changes.append(.stop(timer))
    return changes
  }

  @Test func `timers fire in the order of their deadlines, whatever the order in which they were started`() async {
    let clock = SleepingClock()
    let fired = Journal<TimerID>()
    let done = Tally()
    let timers = clock.makeTimers { due in
      for timer in due {
        fired.append(timer)
        done.add()
      }
    }
    let ids = ids(4)
    for (index, seconds) in [3, 1, 4, 2].enumerated() { timers.take(start(ids[index], after: .seconds(seconds))) }
    await clock.somethingSleeps()
    clock.advance(by: .seconds(10))
    await done.reach(4)
    #expect(fired.entries == [ids[1], ids[3], ids[0], ids[2]])
  }

  @Test func `a timer that is stopped does not fire, and an earlier one is waited for first`() async {
    let clock = SleepingClock()
    let fired = Journal<TimerID>()
    let done = Tally()
    let timers = clock.makeTimers { due in
      for timer in due {
        fired.append(timer)
        done.add()
      }
    }
    let ids = ids(3)
    timers.take(start(ids[0], after: .seconds(10)))
    timers.take(start(ids[1], after: .seconds(1)))
    timers.take(start(ids[2], after: .seconds(5)))
    timers.take(stop(ids[1]))
    await clock.somethingSleeps()
    clock.advance(by: .seconds(20))
    await done.reach(2)
    #expect(fired.entries == [ids[2], ids[0]] && clock.mostSleepers == 1)
  }

  @Test func `a stop that comes before its start counts, and nothing waits`() async {
    let clock = SleepingClock()
    let done = Tally()
    let timers = clock.makeTimers { for _ in $0 { done.add() } }
    let ids = ids(2)
    timers.take(stop(ids[0]))
    timers.take(start(ids[0], after: .seconds(1)))
    #expect(clock.sleepCount == 0)
    timers.take(start(ids[1], after: .seconds(2)))
    await clock.somethingSleeps()
    clock.advance(by: .seconds(3))
    await done.reach(1)
    #expect(done.count == 1)
  }

  @Test func `of the timers in one place only the last counts, whatever the order of starts and stops`() async {
    var slab = Slab<Int>()
    let first = slab.insert(1)
    _ = slab.remove(first)
    let second = slab.insert(2)
    #expect(first.place == second.place)
    // In each order, the start of the second is the only one that isn't stopped.
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    for order in orders {
      let clock = SleepingClock()
      let fired = Journal<TimerID>()
      let done = Tally()
      let timers = clock.makeTimers { due in
        for timer in due {
          fired.append(timer)
          done.add()
        }
      }
      let changes = [start(first, after: .seconds(1)), stop(first), start(second, after: .seconds(2))]
      for index in order { timers.take(changes[index]) }
      await clock.somethingSleeps()
      clock.advance(by: .seconds(3))
      await done.reach(1)
      #expect(fired.entries == [second], "in the order \(order)")
    }
  }

  @Test func `changes that come together are made in order`() async {
    let clock = SleepingClock()
    let fired = Journal<TimerID>()
    let done = Tally()
    let timers = clock.makeTimers { due in
      for timer in due {
        fired.append(timer)
        done.add()
      }
    }
    let ids = ids(3)
    var changes = TimerChanges()
    changes.append([.start(ids[0], .seconds(1)), .stop(ids[0]), .start(ids[1], .seconds(3))])
    changes.append(.start(ids[2], .seconds(2)))
    timers.take(changes)
    await clock.somethingSleeps()
    clock.advance(by: .seconds(4))
    await done.reach(2)
    #expect(fired.entries == [ids[2], ids[1]])
  }

  @Test func `the language's own clocks serve as well`() async {
    let done = Tally()
    let timers = ContinuousClock().makeTimers { for _ in $0 { done.add() } }
    timers.take(start(ids(1)[0], after: .milliseconds(1)))
    await done.reach(1)
  }
}
