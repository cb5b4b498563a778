import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs whose journal has its last entry, or can't get it.
extension SupervisorTests {
  @Test func `a run that is about to end isn't put away any more, so that its end is told`() async throws {
    let (isEnding, mayEnd) = (Signal(), Signal())
    let store = HookedStore {
      $0.synchronizing = { entries in
        guard entries.last.map(JournalEntry.isEnding) == true else { return }
        isEnding.fire()
        await mayEnd.wait()
      }
    }
    let flow = Flow("Short").add("a") { _ in }
    let opening = DurableOpening(
      flow: flow, launch: flow.makeLaunch(), id: "1", store: store, data: flow.startingData, given: [:],
      durability: .grouped(), sealing: nil, omitting: [], acceptsChanges: false)
    var isNew = false
    guard case .underWay(let run, let journal) = try await opening.open(&isNew) else {
      return #expect(Bool(false), "it has ended before it began")
    }
    await isEnding.wait()
    #expect(!SupervisedRun(run, journal, begun: nil, SupervisedRun.Values()).suspendInAnyCase())
    mayEnd.fire()
    #expect(await run.outcome.isSuccess && !journal.isSuspended)
  }

  @Test func `a run that has lost its journal isn't put away, for what it has done would be done again`() async throws {
    let (isFull, ran, ended) = (Locked(false), Journal<String>(), Tally())
    let store = HookedStore {
      $0.appending = { _ in if isFull.withLock({ $0 }) { throw TestError(name: "full") } }
    }
    let flow = Flow("Order")
      .add("a") { _ in
        isFull.withLock { $0 = true }
        ran.append("a")
      }
      .wait(for: Self.number).add("b") { _ in ran.append("b") }
    let durability = FlowDurability.grouped().continuingWithoutJournal()
    let supervisor = FlowSupervisor(store, flows: [flow], durability: durability) { _, _ in ended.add() }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while ran.entries.isEmpty { await Task.yield() }
      let count = supervisor.roundCount
      while supervisor.roundCount < count + 2 { await Task.yield() }
      #expect(supervisor.status.waitingCount == 0 && supervisor.status.runningCount == 1)
      isFull.withLock { $0 = false }
      try await store.send(Self.number, 1, to: "1")
      await ended.reach(1)
    }
    #expect(ran.entries == ["a", "b"])
  }

  @Test func `a run that fails with its journal before the store was looked at is left alone too`() async throws {
    let (ended, clock, stale, mayGoOn) = (Journal<String>(), ManualClock(), Signal(), Gate())
    let store = HookedStore {
      $0.appending = { entry in
        if case .begun? = try? JournalEntry(entry) { return }
        throw TestError(name: "full")
      }
      $0.reading = { id in
        // The supervisor's first read of the bell.
        guard id == Mailbox.bell, !stale.isOn else { return }
        stale.fire()
        mayGoOn.pass()
      }
    }
    let flows = [Flow("Order").clock(clock).add("a") { _ in }]
    let supervisor = FlowSupervisor(store, flows: flows, clock: clock) { id, _ in ended.append(id) }
    try await Self.supervising(supervisor) {
      await stale.wait()
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.runningCount > 0 { await Task.yield() }
      mayGoOn.open()
      let count = supervisor.roundCount
      while supervisor.roundCount < count + 2 { await Task.yield() }
      #expect(supervisor.status.leftRuns.map(\.id) == ["1"])
    }
    #expect(ended.entries.isEmpty, "a run that is left has not ended")
  }

  @Test func `a run that fails with its journal is left and not reported, and can be begun again`() async throws {
    let (isFull, begun, ended, clock) = (Locked(false), Tally(), Journal<Bool>(), ManualClock())
    let store = HookedStore {
      $0.appending = { _ in if isFull.withLock({ $0 }) { throw TestError(name: "full") } }
    }
    let flow = Flow("Order").clock(clock).add("a") { _ in
      if begun.count == 0 { isFull.withLock { $0 = true } }
      begun.add()
    }
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock) { _, outcome in ended.append(outcome.isSuccess)
    }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.leftRuns.isEmpty || supervisor.status.runningCount > 0 { await Task.yield() }
      let left = supervisor.status.leftRuns
      #expect(left.map(\.id) == ["1"] && left.first?.error?.code == .storeFailed && ended.entries.isEmpty)
      isFull.withLock { $0 = false }
      try await supervisor.begin("1", of: "Order")
      while ended.entries.isEmpty || supervisor.status.runningCount > 0 { await Task.yield() }
      #expect(supervisor.status.leftRuns.isEmpty)
    }
    #expect(ended.entries == [true] && begun.count == 2)
  }

  @Test(arguments: [true, false])
  func `what a look at the store finds of a run that was begun meanwhile is too old`(hasFailed: Bool) throws {
    var state = Self.supervisingState(limit: 2)
    let beginning = FoundRun.Beginning(date: .distantPast, flowName: "Order", flow: 0)
    try state.begin("a")
    if hasFailed {
      _ = state.fail("a", Self.unreadable("a"), at: .distantPast)
    } else {
      _ = state.reported("a", begun: beginning.date)
    }
    let rest = JournalRest(due: nil, messageCount: 0)
    for found in [FoundRun.ready(beginning, isInterrupted: true), .rests(beginning, rest)] {
      state.add(found, "a", at: .distantPast)
    }
    #expect(state.takeReady(at: .distantPast).isEmpty && state.resting.isEmpty)
    #expect(state.leftRuns.map(\.id) == (hasFailed ? ["a"] : []))
  }

  @Test func `a run that can't be begun from outside is gone on with, or left alone, as if nobody had tried`() throws {
    var state = Self.supervisingState(limit: 4)
    let beginning = FoundRun.Beginning(date: .distantPast, flowName: "Order", flow: 0)
    state.add(.ready(beginning, isInterrupted: true), "a", at: .distantPast)
    state.add(.left(Self.unreadable("b")), "b", at: .distantPast)
    for id in ["a", "b"] { try state.begin(id) }
    #expect(state.takeReady(at: .distantPast).isEmpty)
    for id in ["a", "b"] { state.end(id) }
    #expect(state.takeReady(at: .distantPast) == ["a"] && state.leftRuns.map(\.id) == ["b"])
  }

  private static func unreadable(_ id: String) -> FlowUnfinishedRun {
    FlowUnfinishedRun(unreadable: id, .storeError(TestError(name: "full")))
  }
}
