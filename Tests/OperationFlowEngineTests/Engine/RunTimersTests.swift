import Testing

@testable import OperationFlow

@Suite(.watched) struct RunTimersTests {
  private func ids(_ count: Int) -> [TimerID] {
    var slab = Slab<Int>()
    return (0..<count).map { slab.insert($0) }
  }

  /// Applies each change by itself, advances the clock far enough, and returns the timers in the order of firing.
  private func fired(_ clock: StepClock = StepClock(), count: Int, _ changes: [RunEffect]...) async
    -> [TimerID]
  {
    let (fired, done) = (Journal<TimerID>(), Tally())
    let timers = clock.makeTimers { due in
      for timer in due {
        fired.append(timer)
        done.add()
      }
    }
    for change in changes { timers.apply(change) }
    await clock.waiting(1)
    clock.advance(by: .seconds(20))
    await done.reach(count)
    return fired.entries
  }

  private func start(_ timer: TimerID, after seconds: Int) -> [RunEffect] { [.start(timer, .seconds(seconds))] }
  private func stop(_ timer: TimerID) -> [RunEffect] { [.stop(timer)] }

  @Test func `timers fire in the order of their deadlines, whatever the order in which they were started`() async {
    let ids = ids(4)
    let fired = await fired(
      count: 4, start(ids[0], after: 3), start(ids[1], after: 1), start(ids[2], after: 4), start(ids[3], after: 2))
    #expect(fired == [ids[1], ids[3], ids[0], ids[2]])
  }

  @Test func `a timer that is stopped does not fire, and an earlier one is waited for first`() async {
    let (clock, ids) = (StepClock(), ids(3))
    let fired = await fired(
      clock, count: 2, start(ids[0], after: 10), start(ids[1], after: 1), start(ids[2], after: 5), stop(ids[1]))
    #expect(fired == [ids[2], ids[0]] && clock.mostSleepers == 1)
  }

  @Test func `a stop that comes before its start counts, and nothing waits`() async {
    let (clock, ids) = (StepClock(), ids(2))
    let fired = await fired(clock, count: 1, stop(ids[0]), start(ids[0], after: 1), start(ids[1], after: 2))
    #expect(fired == [ids[1]] && clock.delays.count == 1)
  }

  @Test(arguments: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
  func `of the timers in one place only the last counts, whatever the order of starts and stops`(order: [Int]) async {
    var slab = Slab<Int>()
    let first = slab.insert(1)
    _ = slab.remove(first)
    let second = slab.insert(2)
    #expect(first.place == second.place)
    // In each order, the start of the second is the only one that isn't stopped.
    let changes = [start(first, after: 1), stop(first), start(second, after: 2)]
    #expect(await fired(count: 1, changes[order[0]], changes[order[1]], changes[order[2]]) == [second])
  }

  @Test func `changes that come together are made in order`() async {
    let ids = ids(3)
    let together: [RunEffect] = [
      .start(ids[0], .seconds(1)), .stop(ids[0]), .start(ids[1], .seconds(3)), .start(ids[2], .seconds(2)),
    ]
    #expect(await fired(count: 2, together) == [ids[2], ids[1]])
  }

  @Test func `the language's own clocks serve as well`() async {
    let done = Tally()
    let timers = ContinuousClock().makeTimers { for _ in $0 { done.add() } }
    timers.apply([.start(ids(1)[0], .milliseconds(1))])
    await done.reach(1)
  }
}
