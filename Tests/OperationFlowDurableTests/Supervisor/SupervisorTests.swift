import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A supervisor of runs that wait.
@Suite(.watched) struct SupervisorTests {
  static let number: FlowSignal<Int> = "number"

  private static func order(_ ran: Journal<String> = Journal()) -> Flow {
    Flow("Order").add("a") { _ in ran.append("a") }.wait(for: number).add("b") {
      ran.append("b \($0[number.key] ?? 0)")
    }
  }

  /// Supervises a store while a closure runs.
  static func supervising<Value: Sendable>(
    _ supervisor: FlowSupervisor, _ body: () async throws -> Value
  ) async throws -> Value {
    let task = Task { try await supervisor.run() }
    let result = await Result { try await body() }
    task.cancel()
    try await task.value
    return try result.get()
  }

  @Test func `a run that waits is put away, and a signal wakes it`() async throws {
    let (store, ran, ended) = (MemoryFlowStore(), Journal<String>(), Journal<String>())
    let supervisor = FlowSupervisor(store, flows: [Self.order(ran)]) { id, outcome in
      ended.append("\(id) \(outcome.isSuccess)")
    }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      #expect(supervisor.status.runningCount == 0 && ran.entries == ["a"])
      guard case .rests(let rest)? = try store.journals["1"]?.last.map({ try JournalEntry($0) }) else {
        return #expect(Bool(false), "it has not been put away")
      }
      #expect(rest.due == nil && rest.messageCount == 0)
      try await store.send(Self.number, 7, to: "1")
      while ended.entries.isEmpty { await Task.yield() }
    }
    #expect(ran.entries == ["a", "b 7"] && ended.entries == ["1 true"])
    #expect(try await store.unfinished().isEmpty)
  }

  @Test func `a block for the end is called at the end, and not when the run is put away`() async throws {
    let (store, finished, ended) = (MemoryFlowStore(), Tally(), Tally())
    let flow = Self.order().setDidFinishBlock { _ in finished.add() }
    let supervisor = FlowSupervisor(store, flows: [flow]) { _, _ in ended.add() }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      try await store.send(Self.number, 7, to: "1")
      await ended.reach(1)
    }
    await finished.reach(1)
    #expect(finished.count == 1)
  }

  @Test func `what a process has left is resumed when a supervisor starts`() async throws {
    let (store, ran, ended) = (MemoryFlowStore(), Journal<String>(), Tally())
    let first = FlowSupervisor(store, flows: [Self.order(ran)])
    try await Self.supervising(first) {
      for id in 1...20 { try await first.begin("\(id)", of: "Order") }
      while first.status.waitingCount < 20 { await Task.yield() }
    }
    #expect(first.status.waitingCount == 0)
    for id in 1...10 { try await store.send(Self.number, id, to: "\(id)") }
    let second = FlowSupervisor(store, flows: [Self.order(ran)], atMost: 3) { _, _ in ended.add() }
    try await Self.supervising(second) {
      await ended.reach(10)
      while second.status.runningCount > 0 { await Task.yield() }
      #expect(second.status.waitingCount == 10)
    }
    #expect(Set(ran.entries.filter { $0 != "a" }) == Set((1...10).map { "b \($0)" }))
    #expect(ran.entries.count { $0 == "a" } == 20)
  }

  @Test func `a run is woken when it is due`() async throws {
    let (store, clock, ended) = (MemoryFlowStore(), ManualClock(), Tally())
    let flow = Flow("Day").clock(clock).wait(.seconds(86_400))
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock) { _, _ in ended.add() }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Day")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      await clock.untilSleeping()
      await clock.advance(by: .seconds(86_400))
      await ended.reach(1)
    }
    #expect(try await store.unfinished().isEmpty)
  }

  @Test func `runs of flows that it doesn't know are listed, and left alone`() async throws {
    let store = MemoryFlowStore(["broken": [Data([7])]])
    let other = FlowSupervisor(store, flows: [Flow("Other").wait(for: Self.number)])
    try await Self.supervising(other) {
      try await other.begin("o", of: "Other")
      while other.status.waitingCount < 1 { await Task.yield() }
    }
    let before = store.journals
    let supervisor = FlowSupervisor(store, flows: [Self.order()])
    // The supervisor can be stopped and run again.
    for _ in 1...2 {
      try await Self.supervising(supervisor) {
        while supervisor.status.leftRuns.count < 2 { await Task.yield() }
        #expect(supervisor.status.leftRuns.map(\.id) == ["broken", "o"])
        #expect(supervisor.status.leftRuns.map(\.error?.code) == [.unreadableJournal, .unknownFlow])
      }
    }
    #expect(store.journals["o"] == before["o"] && store.journals["broken"] == before["broken"])
  }

  @Test func `a run whose flow has changed too much is left alone`() async throws {
    let store = MemoryFlowStore()
    let first = FlowSupervisor(store, flows: [Self.order()])
    try await Self.supervising(first) {
      try await first.begin("1", of: "Order")
      while first.status.waitingCount < 1 { await Task.yield() }
    }
    try await store.send(Self.number, 1, to: "1")
    let changed = FlowSupervisor(store, flows: [Flow("Order").add("z") { _ in }.wait(for: Self.number)])
    let task = Task { try await changed.run() }
    while changed.status.leftRuns.isEmpty { await Task.yield() }
    #expect(changed.status.leftRuns.first?.error?.code == .changedFlow)
    task.cancel()
    try await task.value
  }

  @Test(arguments: [true, false])
  func `a run that waits in what always runs is put away like any other, and keeps its end`(fails: Bool) async throws {
    let (store, ran, ended) = (MemoryFlowStore(), Journal<String>(), Journal<Bool>())
    let flow = Flow("Order").add("a", .undo { _ in ran.append("undo") }) { _ in ran.append("a") }
      .add("b") { _ in if fails { throw TestError(name: "down") } }
      .always { $0.wait(for: Self.number).add("end") { _ in ran.append("end") } }
    let supervisor = FlowSupervisor(store, flows: [flow]) { _, outcome in ended.append(outcome.isSuccess) }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      #expect(supervisor.status.runningCount == 0)
      try await store.send(Self.number, 1, to: "1")
      while ended.entries.isEmpty { await Task.yield() }
    }
    #expect(ran.entries == (fails ? ["a", "undo", "end"] : ["a", "end"]) && ended.entries == [!fails])
  }

  @Test func `a run isn't put away while another of its branches is at work`() async throws {
    let (store, mayGo, worked) = (MemoryFlowStore(), Gate(), Tally())
    // A wait with a time has an entry as soon as it begins.
    let flow = Flow("Branches").parallel {
      $0.branch("waits") { $0.wait(for: Self.number, timeout: .seconds(86_400)) }
        .branch("works") {
          $0.add("work") { _ in
            worked.add()
            mayGo.pass()
          }
        }
    }
    let ended = Tally()
    let supervisor = FlowSupervisor(store, flows: [flow]) { _, outcome in if outcome.isSuccess { ended.add() } }
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Branches")
      await worked.reach(1)
      while store.journals["1"]?.contains(where: { $0.first == JournalEntry.Kind.waits.rawValue }) != true {
        await Task.yield()
      }
      let count = supervisor.roundCount
      while supervisor.roundCount < count + 2 { await Task.yield() }
      #expect(supervisor.status.waitingCount == 0 && supervisor.status.runningCount == 1)
      mayGo.open()
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      try await store.send(Self.number, 1, to: "1")
      await ended.reach(1)
    }
    #expect(worked.count == 1, "what is put away at work is done again")
  }

  @Test(arguments: [true, false])
  func `a run that is between two attempts when a supervisor stops is gone on with by the next`(
    isBesideAWait: Bool
  ) async throws {
    let (store, clock, attempts, hasFailed) = (MemoryFlowStore(), ManualClock(), Tally(), Signal())
    let flow = Flow("Charges").clock(clock).observe { if $0.isRetried { hasFailed.fire() } }
    let charge: @Sendable (Flow) -> Flow = { flow in
      flow.add("charge", .retry(.attempts(2, delay: .seconds(60)))) { context in
        attempts.add()
        if context.attempt == 1 { throw TestError(name: "down") }
      }
    }
    if isBesideAWait {
      flow.parallel { branches in
        branches.branch("charges") { _ = charge($0) }.branch("waits") { $0.wait(for: Self.number) }
      }
    } else {
      _ = charge(flow).wait(for: Self.number)
    }
    let first = FlowSupervisor(store, flows: [flow], clock: clock)
    try await Self.supervising(first) {
      try await first.begin("1", of: "Charges")
      await hasFailed.wait()
    }
    #expect(attempts.count == 1)
    let (second, ended) = (FlowSupervisor(store, flows: [flow], clock: clock), attempts)
    try await Self.supervising(second) {
      await clock.untilSleeping()
      await clock.advance(by: .seconds(60))
      await ended.reach(2)
      while second.status.waitingCount < 1 { await Task.yield() }
    }
  }

  @Test func `a run that another process had, and that is begun again here, is known once`() throws {
    var state = Self.supervisingState(limit: 2)
    let beginning = FoundRun.Beginning(date: .distantPast, flowName: "Order", flow: 0)
    state.add(.ready(beginning, isInterrupted: true), "a", at: .distantPast)
    #expect(state.takeReady(at: .distantPast) == ["a"])
    _ = state.fail("a", FlowUnfinishedRun(unreadable: "a", .runInUse("a", by: "another process")), at: .distantPast)
    #expect(state.leftRuns.isEmpty && !state.knows("a"))
    try state.begin("a")
    state.add(.ready(beginning, isInterrupted: true), "a", at: .distantFuture)
    #expect(state.takeReady(at: .distantFuture).isEmpty && state.running.count == 1)
    state.end("a")
    #expect(state.takeReady(at: .distantFuture).isEmpty)
  }

  /// Returns the state of a supervisor that has read an empty store.
  static func supervisingState(limit: Int) -> SupervisorState {
    var state = SupervisorState(limit: limit)
    let hasStarted = state.start()
    state.endLook([], [], at: .distantPast)
    #expect(hasStarted)
    return state
  }

  @Test func `the dates of runs that signals have woken are forgotten, and no other`() throws {
    var state = Self.supervisingState(limit: 1_000)
    let start = Date(timeIntervalSince1970: 0)
    for round in 0..<1_000 {
      for id in 0..<10 {
        try state.begin("\(id)")
        let rest = JournalRest(due: start.addingTimeInterval(Double(1_000_000 + id)), messageCount: round)
        _ = state.rest("\(id)", rest, at: start)
      }
      guard round < 999 else { break }
      for id in 0..<10 { state.makeReady("\(id)") }
      for id in state.takeReady(at: start) { state.end(id) }
    }
    #expect(state.dueCount < 100 && state.resting.count == 10)
    #expect(state.takeReady(at: start.addingTimeInterval(1_000_004)) == ["0", "1", "2", "3", "4"])
    #expect(state.takeReady(at: start.addingTimeInterval(1_000_009)) == ["5", "6", "7", "8", "9"])
  }

  @Test func `a store has one supervisor`() async throws {
    let store = MemoryFlowStore()
    let first = FlowSupervisor(store, flows: [Self.order()])
    try await Self.supervising(first) {
      while store.journals[Mailbox.supervisor] == nil { await Task.yield() }
      let error = await #expect(throws: FlowError.self) {
        try await FlowSupervisor(store, flows: []).run()
      }
      #expect(error?.code == .runInUse)
    }
    let twice = FlowSupervisor(store, flows: [Flow("A"), Flow("A")])
    await #expect(throws: FlowError.self) { try await twice.run() }
    await #expect(throws: FlowError.self) { try await first.begin("1", of: "Unknown") }
  }

  /// The supervisor reads all runs at its start, the unfinished ones twice, and each run once more before it resumes.
  @Test(arguments: [1, 2, 3])
  func `a supervisor that is cancelled while it reads the store begins nothing`(reading: Int) async throws {
    let (whole, ran, readings, mayGoOn) = (MemoryFlowStore(), Tally(), Tally(), Gate())
    let flow = Flow("Order").add("a") { _ in ran.add() }
    _ = await flow.run(id: "1", in: whole)
    let begun = Array(whole.journals["1", default: []].prefix(1))
    let store = HookedStore(["1": begun, "broken": [Data([7])]]) {
      $0.reading = { id in
        guard id == "1" else { return }
        readings.add()
        if readings.count == reading { mayGoOn.pass() }
      }
    }
    let supervisor = FlowSupervisor(store, flows: [flow])
    let supervising = Task { try await supervisor.run() }
    await readings.reach(reading)
    supervising.cancel()
    while reading == 3, await Self.code(beginning: "broken", supervisor) != .notSupervising { await Task.yield() }
    mayGoOn.open()
    try await supervising.value
    #expect(ran.count == 1 && store.memory.journals["1"] == begun)
  }

  @Test func `a run that can't be begun doesn't keep a supervisor from stopping`() async throws {
    let (openings, isOpening, mayFail) = (Tally(), Signal(), Gate())
    let store = HookedStore {
      $0.opening = {
        openings.add()
        // The first opening is the supervisor's own.
        guard openings.count > 1 else { return }
        if openings.count == 2 {
          isOpening.fire()
          mayFail.pass()
        }
        throw TestError(name: "full")
      }
    }
    let supervisor = FlowSupervisor(store, flows: [Self.order()])
    let supervising = Task { try await supervisor.run() }
    await openings.reach(1)
    let beginning = Task { try await supervisor.begin("1", of: "Order") }
    await isOpening.wait()
    supervising.cancel()
    // When the supervisor stops, it begins nothing more, and doesn't even read the store.
    while await Self.code(beginning: "2", supervisor) != .notSupervising { await Task.yield() }
    mayFail.open()
    try await supervising.value
    await #expect(throws: FlowError.self) { try await beginning.value }
  }

  /// Returns the code of the error of a run that can't be begun.
  private static func code(beginning id: String, _ supervisor: FlowSupervisor) async -> FlowError.Code? {
    do { try await supervisor.begin(id, of: "Order") } catch { return (error as? FlowError)?.code }
    return nil
  }

  @Test func `a run whose journal was removed while it waited isn't begun anew`() async throws {
    let (store, clock, ran) = (MemoryFlowStore(), ManualClock(), Journal<String>())
    let flow = Flow("Day").clock(clock).add("charge") { _ in ran.append("charge") }.wait(.seconds(86_400))
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock)
    try await Self.supervising(supervisor) {
      try await supervisor.begin("1", of: "Day")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      try store.removeJournal(of: "1")
      await clock.untilSleeping()
      await clock.advance(by: .seconds(86_400))
      while supervisor.status.waitingCount + supervisor.status.runningCount > 0, ran.entries.count < 2 {
        await Task.yield()
      }
    }
    #expect(ran.entries == ["charge"] && store.runIDs().isEmpty)
  }

  @Test func `work that is under way when it stops is done again by the next one`() async throws {
    let (store, begun, ended) = (MemoryFlowStore(), Tally(), Tally())
    let isSecond = Locked(false)
    let flow = Flow("Long").add("one") { _ in }.add("two") { _ async throws in
      begun.add()
      if !isSecond.withLock({ $0 }) { try await Task.sleep(for: .seconds(3_600)) }
    }.always { $0.add("end") { _ in ended.add() } }
    let first = FlowSupervisor(store, flows: [flow])
    try await Self.supervising(first) {
      try await first.begin("1", of: "Long")
      await begun.reach(1)
    }
    #expect(ended.count == 0 && begun.count == 1)
    #expect(try await store.unfinished().map(\.settledStepCount) == [1])
    isSecond.withLock { $0 = true }
    let done = Tally()
    let second = FlowSupervisor(store, flows: [flow]) { _, outcome in if outcome.isSuccess { done.add() } }
    try await Self.supervising(second) { await done.reach(1) }
    #expect(begun.count == 2 && ended.count == 1)
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
