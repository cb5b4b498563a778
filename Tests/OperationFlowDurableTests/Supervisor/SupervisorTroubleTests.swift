import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A supervisor whose store, or whose runs, can't be used for a while.
@Suite(.watched) struct SupervisorTroubleTests {
  private static let number: FlowSignal<Int> = "number"
  private static let password = FlowKey<String>("password", sensitive: true)

  /// Waits until the supervisor has read everything that was there before.
  private static func rounds(of supervisor: FlowSupervisor, _ count: Int = 2) async {
    let before = supervisor.roundCount
    while supervisor.roundCount < before + count { await Task.yield() }
  }

  @Test func `a run whose mailbox can't be read is left, and looked at again later each time`() async throws {
    // A unique identifier: signals of other tests make every run of that identifier in this process read its mailbox.
    let run = UUID().uuidString
    let (clock, isDamaged, looks) = (ManualClock(), Locked(false), Tally())
    let store = HookedStore {
      $0.reading = { id in
        guard id == Mailbox.id(of: run), isDamaged.withLock({ $0 }) else { return }
        looks.add()
        throw FlowError.unreadableJournal("the mailbox is damaged", remedy: "Remove it.")
      }
    }
    let flow = Flow("Day").clock(clock).wait(.seconds(86_400))
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock)
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin(run, of: "Day")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      let entries = store.memory.journals[run]
      isDamaged.withLock { $0 = true }
      try await MailboxBell(store: store).ring(for: run)
      while supervisor.status.leftRuns.isEmpty { await Task.yield() }
      #expect(supervisor.status.leftRuns.first?.error?.code == .unreadableJournal)
      for (time, count) in [(0, 1), (1, 2), (1, 2), (1, 3), (3, 3), (1, 4)] {
        await clock.advance(by: .seconds(time))
        await looks.reach(count)
        await Self.rounds(of: supervisor)
        #expect(looks.count == count)
      }
      isDamaged.withLock { $0 = false }
      await clock.advance(by: .seconds(8))
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      #expect(supervisor.status.leftRuns.isEmpty && store.memory.journals[run] == entries)
    }
  }

  @Test func `a bell that can't be read stops no run, and is read again later`() async throws {
    let (clock, fails, ended) = (ManualClock(), Locked(false), Tally())
    let store = HookedStore {
      $0.reading = { id in if id == Mailbox.bell, fails.withLock({ $0 }) { throw TestError(name: "down") } }
    }
    let flow = Flow("Order").clock(clock).wait(for: Self.number)
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock) { _, _ in ended.add() }
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      fails.withLock { $0 = true }
      while supervisor.status.storeTrouble == nil { await Task.yield() }
      let error = supervisor.status.storeTrouble?.error
      #expect(error?.code == .storeFailed && error?.problem == "the store can't be used: TestError(down)")
      fails.withLock { $0 = false }
      try await store.send(Self.number, 1, to: "1", clock: clock)
      await Self.rounds(of: supervisor)
      #expect(supervisor.status.waitingCount == 1, "it isn't time to read the bell again")
      await clock.advance(by: .seconds(1))
      await ended.reach(1)
      while supervisor.status.storeTrouble != nil { await Task.yield() }
    }
  }

  @Test func `a run with values that its journal doesn't store stays in memory while it waits`() async throws {
    let (store, clock, ended) = (MemoryFlowStore(), ManualClock(), Journal<String>())
    let flow = Flow("Login").clock(clock).wait(for: Self.number)
      .add("use", .reads(Self.password)) { ended.append(try $0.require(Self.password)) }
    let supervisor = FlowSupervisor(store, flows: [flow], atMost: 1, clock: clock) { id, _ in ended.append(id) }
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("1", of: "Login", with: ["password": "hunter"])
      await Self.rounds(of: supervisor, 3)
      #expect(supervisor.status.runningCount == 1 && supervisor.status.waitingCount == 0)
      // The run doesn't count against the limit for others.
      try await supervisor.begin("2", of: "Login", with: ["password": "other"])
      try await store.send(Self.number, 1, to: "1", clock: clock)
      while ended.entries.count < 2 { await Task.yield() }
    }
    #expect(ended.entries == ["hunter", "1"])
    // The process has ended: the code that resumes the run has to pass the value.
    let second = FlowSupervisor(store, flows: [flow], clock: clock)
    try await store.send(Self.number, 1, to: "2", clock: clock)
    try await SupervisorTests.supervising(second) {
      while second.status.leftRuns.isEmpty { await Task.yield() }
      let error = second.status.leftRuns.first?.error
      #expect(error?.code == .missingData && error?.key == "password")
      try await second.begin("2", of: "Login", with: ["password": "third"])
      while ended.entries.count < 3 { await Task.yield() }
    }
    #expect(ended.entries.last == "third")
  }

  @Test(arguments: [true, false])
  func `a run that another process has begun and left is found by its signal, or after a minute`(
    isSent: Bool
  ) async throws {
    let (store, other, clock, ended) = (MemoryFlowStore(), MemoryFlowStore(), ManualClock(), Tally())
    let flow = Flow("Order").clock(clock).wait(for: Self.number, timeout: .seconds(30), .recover { _, _ in })
    let first = FlowSupervisor(other, flows: [flow], clock: clock)
    try await SupervisorTests.supervising(first) {
      try await first.begin("1", of: "Order")
      while first.status.waitingCount < 1 { await Task.yield() }
    }
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock) { _, _ in ended.add() }
    try await SupervisorTests.supervising(supervisor) {
      await Self.rounds(of: supervisor)
      let open = try store.openJournal(of: "1")
      for entry in other.journals["1", default: []] { try open.journal.append(entry) }
      open.journal.close()
      await Self.rounds(of: supervisor)
      #expect(supervisor.status.waitingCount == 0)
      if isSent {
        try await store.send(Self.number, 1, to: "1", clock: clock)
      } else {
        await clock.advance(by: .seconds(61))
      }
      await ended.reach(1)
    }
  }

  @Test(arguments: [true, false])
  func `a run that is rung for while it can't be looked at, or begun, is looked at once more`(
    isBegun: Bool
  ) async throws {
    let (clock, pauses, tries, mayFail) = (ManualClock(), Locked(false), Tally(), Gate())
    let fail: @Sendable () throws -> Void = {
      let isPaused = pauses.withLock { pauses in
        defer { pauses = false }
        return pauses
      }
      guard isPaused else { return }
      tries.add()
      mayFail.pass()
      throw TestError(name: "down")
    }
    let store = HookedStore {
      $0.opening = { if isBegun { try fail() } }
      $0.reading = { id in if !isBegun, id == "1" { try fail() } }
    }
    let flow = Flow("Order").clock(clock).wait(for: Self.number)
    let (other, bell) = (MemoryFlowStore(), MailboxBell(store: store))
    let first = FlowSupervisor(other, flows: [flow], clock: clock)
    try await SupervisorTests.supervising(first) {
      try await first.begin("1", of: "Order")
      while first.status.waitingCount < 1 { await Task.yield() }
    }
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock)
    try await SupervisorTests.supervising(supervisor) {
      await Self.rounds(of: supervisor)
      let open = try store.memory.openJournal(of: "1")
      for entry in other.journals["1", default: []] { try open.journal.append(entry) }
      open.journal.close()
      pauses.withLock { $0 = true }
      if !isBegun { try await bell.ring(for: "1") }
      let beginning = Task { if isBegun { try await supervisor.begin("1", of: "Order") } }
      await tries.reach(1)
      try await bell.ring(for: "1")
      await Self.rounds(of: supervisor)
      mayFail.open()
      _ = await beginning.result
      while !isBegun, supervisor.status.leftRuns.isEmpty, supervisor.status.waitingCount == 0 { await Task.yield() }
      await Self.rounds(of: supervisor)
      while supervisor.status.runningCount > 0 { await Task.yield() }
      #expect(supervisor.status.waitingCount == 1 && supervisor.status.leftRuns.isEmpty)
    }
  }

  @Test func `an end is reported until its listener has returned, and then no more`() async throws {
    let (store, atEnd, reports) = (MemoryFlowStore(), Locked([String: [Data]]()), Journal<String>())
    let flow = Flow("Short").add("a") { _ in }
    let first = FlowSupervisor(store, flows: [flow]) { id, _ in
      atEnd.withLock { $0 = store.journals }
      reports.append(id)
    }
    try await SupervisorTests.supervising(first) {
      await Self.rounds(of: first)
      try await first.begin("1", of: "Short")
      while reports.entries.isEmpty || first.status.runningCount > 0 { await Task.yield() }
      // The run has ended, and its end was reported.
      try await first.begin("1", of: "Short")
      await Self.rounds(of: first)
      while first.status.runningCount > 0 { await Task.yield() }
    }
    #expect(reports.entries == ["1"])
    // The process ended while the listener was called.
    let cut = MemoryFlowStore(atEnd.withLock { $0 })
    for count in [2, 2] {
      let next = FlowSupervisor(cut, flows: [flow]) { id, _ in reports.append(id) }
      try await SupervisorTests.supervising(next) {
        await Self.rounds(of: next)
        while next.status.runningCount > 0 { await Task.yield() }
      }
      #expect(reports.entries.count == count)
    }
  }

  @Test func `what has ended before a store had a supervisor isn't reported, and what ends elsewhere is`() async throws
  {
    let (store, reports) = (MemoryFlowStore(), Journal<String>())
    let flow = Flow("Short").add("a") { _ in }
    _ = await flow.run(id: "before", in: store)
    for number in 1...2 {
      let supervisor = FlowSupervisor(store, flows: [flow]) { id, _ in reports.append(id) }
      try await SupervisorTests.supervising(supervisor) {
        await Self.rounds(of: supervisor)
        while number == 2, reports.entries.isEmpty { await Task.yield() }
      }
      _ = await flow.run(id: "elsewhere", in: store)
    }
    #expect(reports.entries == ["elsewhere"])
  }

  @Test func `the rings of a bell that is made anew are told from those before`() async throws {
    let store = MemoryFlowStore()
    try store.openJournal(of: Mailbox.supervisor).journal.close()
    let bell = MailboxBell(store: store)
    for id in ["a", "b"] { try await bell.ring(for: id) }
    let last = try bell.entries(after: nil).last
    try store.removeJournal(of: Mailbox.bell)
    let empty = try bell.entries(after: last)
    #expect(empty.isGap && empty.last == 0)
    for id in ["c", "d", "e", "f"] { try await bell.ring(for: id) }
    let heard = try bell.entries(after: last)
    #expect(heard.isGap || heard.new.map(\.run) == ["c", "d", "e", "f"])
    #expect(try bell.entries(after: heard.last).new.isEmpty)
    #expect(try bell.entries(after: 0).new.map(\.run) == ["c", "d", "e", "f"])
  }

  @Test func `a supervisor that another one has kept from supervising begins nothing`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Order").wait(for: Self.number)
    let (first, second) = (FlowSupervisor(store, flows: [flow]), FlowSupervisor(store, flows: [flow]))
    try await SupervisorTests.supervising(first) {
      await Self.rounds(of: first)
      await #expect(throws: FlowError.self) { try await second.run() }
      let error = await #expect(throws: FlowError.self) { try await second.begin("1", of: "Order") }
      #expect(error?.code == .notSupervising && store.journals["1"] == nil)
    }
  }

  @Test func `a run whose work has ended the process several times comes after the others, and later each time`() throws
  {
    let (beginning, now) = (FoundRun.Beginning(date: .distantPast, flowName: "Work", flow: 0), Date())
    for (crashCount, delay) in [(2, 1.0), (3, 2), (4, 4), (5, 8)] {
      var state = SupervisorTests.supervisingState(limit: 4)
      state.add(.ready(beginning, isInterrupted: true), "bad", crashCount: crashCount, at: now)
      state.add(.ready(beginning, isInterrupted: true), "good", crashCount: 1, at: now)
      #expect(state.takeReady(at: now) == ["good"] && state.leftRuns.map(\.error?.code) == [.suspectedRun])
      #expect(state.takeReady(at: now.addingTimeInterval(delay - 0.1)) == [])
      #expect(state.takeReady(at: now.addingTimeInterval(delay)) == ["bad"])
    }
  }

  @Test func `a run whose work has ended the process is resumed as a further attempt, after a delay`() async throws {
    let (clock, began, ended) = (ManualClock(), Journal<String>(), Tally())
    let flow = Flow("Work").clock(clock).add("work", .retry(.attempts(3))) { context in
      began.append("\(try context.require(FlowKey<String>("id"))) \(context.attempt)")
    }
    let made = MemoryFlowStore()
    let quick = Flow("Work").clock(clock).add("work", .retry(.attempts(3))) { _ in }
    for id in ["a", "b"] { _ = await quick.run(id: id, in: made, with: ["id": id]) }
    var journals = made.journals.mapValues { Array($0.prefix(1)) }
    let work = RunWork(.step, of: 0)
    let begins = (1...2).map { JournalEntry.begins(JournalBegin(date: Date(), work: work, attempt: $0)).data }
    let failed = JournalSettlement(
      date: Date(), work: work, attempt: 1, result: .failed(FlowError.processEnded(1), retriedAfter: .zero))
    journals["a"]? += [begins[0], JournalEntry.settled(failed).data, begins[1]]
    let supervisor = FlowSupervisor(MemoryFlowStore(journals), flows: [flow], clock: clock) { _, _ in ended.add() }
    try await SupervisorTests.supervising(supervisor) {
      await ended.reach(1)
      await Self.rounds(of: supervisor)
      #expect(began.entries == ["b 1"] && supervisor.status.leftRuns.map(\.id) == ["a"])
      #expect(supervisor.status.leftRuns.first?.error?.problem.contains("2 times in a row") == true)
      await clock.advance(by: .seconds(1))
      await ended.reach(2)
    }
    #expect(began.entries == ["b 1", "a 3"])
  }

  @Test func `runs that were at work when the process ended twice in a row come last, one at a time`() async throws {
    let (clock, began, mayGoOn, ended) = (ManualClock(), Journal<String>(), Gate(), Tally())
    let flow = Flow("Work").clock(clock).add("work") { context in
      began.append(try context.require(FlowKey<String>("id")))
      mayGoOn.pass()
    }
    let made = MemoryFlowStore()
    let ids = ["a", "b", "c"]
    let quick = Flow("Work").clock(clock).add("work") { _ in }
    for id in ids { _ = await quick.run(id: id, in: made, with: ["id": id]) }
    var journals = made.journals.mapValues { Array($0.prefix(1)) }
    let book: [SupervisorBook.Entry] = [.told([]), .starts, .tries("a"), .starts, .tries("a"), .tries("b")]
    journals[Mailbox.supervisor] = book.map(\.data)
    let store = MemoryFlowStore(journals)
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock) { _, _ in ended.add() }
    try await SupervisorTests.supervising(supervisor) {
      while began.entries.isEmpty { await Task.yield() }
      await Self.rounds(of: supervisor)
      #expect(began.entries == ["c"] && supervisor.status.leftRuns.map(\.id) == ["a", "b"])
      #expect(supervisor.status.leftRuns.allSatisfy { $0.error?.code == .suspectedRun })
      let written = try store.journals[Mailbox.supervisor]?.last.map { try SupervisorBook.Entry($0) }
      guard case .tries("c")? = written else { return #expect(Bool(false), "it isn't known that it is tried") }
      mayGoOn.open()
      await ended.reach(1)
      await clock.advance(by: .seconds(1))
      await ended.reach(2)
      await clock.advance(by: .seconds(1))
      await ended.reach(3)
    }
    #expect(began.entries == ["c", "b", "a"])
    guard case .lasts? = try store.journals[Mailbox.supervisor]?.last.map({ try SupervisorBook.Entry($0) }) else {
      return #expect(Bool(false), "it isn't known that the supervisor has stopped")
    }
  }
}
