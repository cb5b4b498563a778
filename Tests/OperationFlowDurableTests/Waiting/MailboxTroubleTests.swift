import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs whose mailboxes can't be read, decrypted or decoded: no step fails, and each run can be resumed.
@Suite(.watched) struct MailboxTroubleTests {
  private static let number: FlowSignal<Int> = "number"

  /// Makes reads of mailboxes fail while it has an error.
  private final class Fault: Sendable {
    private let error: Locked<(any Error)?>
    let failures = Tally()
    init(_ error: (any Error)? = nil) { self.error = Locked(error) }
    func set(_ new: (any Error)?) { error.withLock { $0 = new } }
    func store(_ journals: [String: [Data]] = [:]) -> HookedStore {
      HookedStore(journals) { hooks in
        hooks.reading = { [error, failures] id in
          guard Mailbox.isReserved(id), let error = error.withLock({ $0 }) else { return }
          failures.add()
          throw error
        }
      }
    }
  }

  private struct Steps {
    let reserved = Signal()
    let undone = Tally()
    let got = Journal<Int>()

    func flow(_ name: String = "Order", _ addWait: (Flow) -> Void) -> Flow {
      let flow = Flow(name).add("reserve", .undo { [undone] _ in undone.add() }) { [reserved] _ in reserved.fire() }
      addWait(flow)
      return flow.add("ship") { [got] in got.append($0[number.key] ?? -1) }
    }
  }

  @Test(arguments: [false, true])
  func `a resume that can't read the mailbox passes over no signal that was sent in time`(continues: Bool) async throws
  {
    let (clock, steps, store) = (ManualClock(), Steps(), MemoryFlowStore())
    let make = {
      steps.flow {
        $0.clock(clock)
        if continues {
          $0.wait(for: Self.number, continuingAfter: .seconds(60))
        } else {
          $0.wait(for: Self.number, timeout: .seconds(60))
        }
      }
    }
    let supervisor = FlowSupervisor(store, flows: [make()], clock: clock)
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("r", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
    }
    try await store.send(Self.number, 7, to: "r", clock: clock)
    await clock.advance(by: .seconds(7_200))
    let fault = Fault(TestError(name: "no descriptors"))
    let troubled = fault.store(store.journals)
    let left = try #require(await make().run(id: "r", in: troubled).error as? FlowError)
    #expect(left.code == .storeFailed && "\(left)".contains("no descriptors") && left.remedy.contains("r.signals"))
    #expect(steps.undone.count == 0 && troubled.memory.journals["r"] == store.journals["r"])
    fault.set(nil)
    #expect(await make().run(id: "r", in: troubled).isSuccess && steps.got.entries == [7])
  }

  @Test func `a mailbox that can't be read for a moment is read later, with a warning`() async throws {
    let (steps, fault, id) = (Steps(), Fault(), "moment \(UUID())")
    let store = fault.store()
    let flow = steps.flow { $0.wait(for: Self.number) }.observe { if case .warned = $0.kind { fault.set(nil) } }
    async let outcome = flow.run(id: id, in: store)
    await steps.reserved.wait()
    fault.set(TestError(name: "no descriptors"))
    try await store.memory.send(Self.number, 7, to: id)
    let ended = await outcome
    #expect(ended.isSuccess && steps.got.entries == [7] && ended.report.summary.contains("no descriptors"))
  }

  @Test func `a run whose mailbox is damaged while it waits is left, and can be resumed`() async throws {
    let (steps, fault, id) = (Steps(), Fault(), "stays \(UUID())")
    let store = fault.store()
    let run = Task { await steps.flow { $0.wait(for: Self.number) }.run(id: id, in: store) }
    await steps.reserved.wait()
    fault.set(FlowError.unreadableJournal("it is damaged", remedy: "Mend it."))
    let outcome = await run.value
    #expect(outcome.code == .unreadableJournal && steps.undone.count == 0)
    #expect((outcome.error as? FlowError)?.remedy.contains("same id") == true)
    #expect(try await store.memory.unfinished().map(\.id) == [id])
    fault.set(nil)
    try await store.send(Self.number, 7, to: id)
    #expect(await steps.flow { $0.wait(for: Self.number) }.run(id: id, in: store).isSuccess)
    #expect(steps.got.entries == [7])
  }

  @Test func `a timeout is over only when the mailbox has been read`() async throws {
    let (clock, steps, fault, id) = (ManualClock(), Steps(), Fault(), "timeout \(UUID())")
    let store = fault.store()
    let flow = steps.flow { $0.clock(clock).wait(for: Self.number, timeout: .seconds(60)) }
    let run = Task { await flow.run(id: id, in: store) }
    await clock.untilSleeping()
    fault.set(TestError(name: "no descriptors"))
    try await store.memory.send(Self.number, 7, to: id, clock: clock)
    await fault.failures.reach(1)
    let failureCount = fault.failures.count
    await clock.advance(by: .seconds(61))
    await fault.failures.reach(failureCount + 1)
    fault.set(nil)
    MailboxWatch.shared.tell(id)
    #expect(await run.value.isSuccess && steps.got.entries == [7])
  }

  @Test func `a sealed signal that can't be decrypted leaves the run until the right key is there`() async throws {
    let secret = FlowSignal<Int>("number", sensitive: true)
    struct WrongKey: Error {}
    let wrong = FlowSealing(seal: { $0 }, open: { _ in throw WrongKey() })
    let (steps, store) = (Steps(), MemoryFlowStore())
    let flow = steps.flow { $0.wait(for: secret) }
    try await store.send(secret, 4111, to: "r", beforeItBegins: true, sealing: .masking)
    for sealing in [nil, wrong] {
      let error = try #require(await flow.run(id: "r", in: store, sealing: sealing).error as? FlowError)
      #expect(error.code == .missingData && error.remedy.contains("FlowSealing") && steps.undone.count == 0)
    }
    #expect(await flow.run(id: "r", in: store, sealing: .masking).isSuccess && steps.got.entries == [4111])
  }

  @Test func `a value of another type leaves the run to a flow that can read it, or to the right value`() async throws {
    let text: FlowSignal<String> = "number"
    let (steps, store) = (Steps(), MemoryFlowStore())
    try await store.send(text, "seven", to: "r", beforeItBegins: true)
    let flow = steps.flow { $0.wait(for: Self.number) }
    for _ in 1...2 {
      let error = try #require(await flow.run(id: "r", in: store).error as? FlowError)
      #expect(error.code == .mismatchedData && error.remedy.contains("r.signals") && steps.undone.count == 0)
    }
    let other = MemoryFlowStore(store.journals)
    #expect(await steps.flow { $0.wait(for: text) }.run(id: "r", in: other).report[text.key] == "seven")
    try store.removeJournal(of: Mailbox.id(of: "r"))
    try await store.send(Self.number, 7, to: "r")
    #expect(await flow.run(id: "r", in: store).report[Self.number.key] == 7)
  }

  @Test func `it looks again ever later, and gives up after half a minute`() {
    var (trouble, now, answers) = (MailboxTrouble(), Date(), 0)
    let start = now
    while case .waits(let isFirst) = trouble.addFailure(TestError(name: "busy"), at: now) {
      #expect(isFirst == (answers == 0) && !trouble.isDue(at: now))
      // A sender's own read in between doesn't count.
      if case .leaves = trouble.addFailure(TestError(name: "busy"), at: now) {
        #expect(Bool(false), "it gives up early")
      }
      while !trouble.isDue(at: now) { now += 0.25 }
      answers += 1
    }
    #expect(answers == MailboxTrouble.limit - 1 && (25...35).contains(now.timeIntervalSince(start)))
    trouble.end()
    #expect(trouble.isDue(at: start))
  }

  // MARK: A supervisor

  @Test func `a supervisor leaves a run alone whose mailbox is damaged, and its journal doesn't grow`() async throws {
    let (steps, store) = (Steps(), MemoryFlowStore())
    let supervisor = FlowSupervisor(store, flows: [steps.flow { $0.wait(for: Self.number) }])
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("r", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      let before = store.journals["r"]
      try await store.withJournal(of: Mailbox.id(of: "r")) { try $0.append(Data([9])) }
      try await MailboxBell(store: store).ring(for: "r")
      while supervisor.status.leftRuns.isEmpty { await Task.yield() }
      #expect(supervisor.status.leftRuns.first?.error?.code == .unreadableJournal)
      #expect(store.journals["r"] == before && steps.undone.count == 0)
    }
  }

  @Test func `a run that is resumed and rests again leaves its journal as it was`() async throws {
    let (steps, store) = (Steps(), MemoryFlowStore())
    var journals: [[Data]?] = []
    for round in 1...3 {
      let supervisor = FlowSupervisor(store, flows: [steps.flow { $0.wait(for: Self.number) }])
      try await SupervisorTests.supervising(supervisor) {
        if round == 1 { try await supervisor.begin("r", of: "Order") }
        if round == 2 {
          // The supervisor reads the run's mailbox although it has no new message.
          while supervisor.status.waitingCount < 1 { await Task.yield() }
          try await MailboxBell(store: store).ring(for: "r")
          let before = supervisor.roundCount
          while supervisor.roundCount < before + 2 { await Task.yield() }
        }
        while supervisor.status.waitingCount < 1 { await Task.yield() }
      }
      journals.append(store.journals["r"])
    }
    #expect(journals[1] == journals[0] && journals[2] == journals[0])
  }
}
