import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs that are cancelled through their stores.
@Suite(.watched) struct CancelledRunTests {
  private static let number: FlowSignal<Int> = "number"

  /// Returns a flow whose last step ends only if it is cancelled.
  private static func endless(_ begins: Signal, undone: Tally = Tally()) -> Flow {
    Flow("Endless").add("first", .undo { _ in undone.add() }) { _ in }.add("endless") { _ async throws in
      begins.fire()
      try await Task.sleep(for: .seconds(86_400))
    }
  }

  /// Cancels a run as another process does, which can't notify this one.
  private static func cancelElsewhere(_ id: String, in store: any FlowStore) async throws {
    let first = try #require(try store.readJournal(of: id)?.first)
    let head = try #require(JournalBeginning.Head(first))
    try await Mailbox(run: id, store: store).append(SignalMessage(cancelling: "c", at: Date()), begun: head.date)
  }

  private static func untilWaiting(_ id: String, in store: any FlowStore) async throws {
    while true {
      if case .waiting? = try await store.storedRun(id)?.state { return }
      await Task.yield()
    }
  }

  @Test(arguments: [false, true])
  func `a run that waits for nothing ends as cancelled with its undos, whichever process cancels it`(
    isElsewhere: Bool
  ) async throws {
    // A unique identifier, so that no other test notifies this run.
    let id = UUID().uuidString
    try await withJournalFolder { folder in
      let (store, begins, undone) = (FileFlowStore(folder: folder), Signal(), Tally())
      async let outcome = Self.endless(begins, undone: undone).run(id: id, in: store)
      await begins.wait()
      if isElsewhere { try await Self.cancelElsewhere(id, in: store) } else { try await store.cancel(id) }
      let isCancelled = await outcome.isCancelled
      #expect(isCancelled && undone.count == 1)
      #expect(try store.readJournal(of: Mailbox.id(of: id)) == nil)
      guard case .cancelled? = try await store.storedRun(id)?.state else {
        return #expect(Bool(false), "not cancelled")
      }
    }
  }

  @Test func `a run that waits for a signal is cancelled as well`() async throws {
    let store = MemoryFlowStore()
    async let outcome = Flow("Waits").wait(for: Self.number).run(id: "r", in: store)
    try await Self.untilWaiting("r", in: store)
    try await store.cancel("r")
    #expect(await outcome.isCancelled)
  }

  /// Returns the journal of a run whose steps have ended, and that waits for a day.
  private static func waitingJournal(of flow: Flow) async throws -> [Data] {
    let store = MemoryFlowStore()
    let id = UUID().uuidString
    let run = Task { await flow.run(id: id, in: store) }
    try await untilWaiting(id, in: store)
    let entries = store.journals[id] ?? []
    run.cancel()
    _ = await run.value
    return entries
  }

  @Test func `a run that nobody has ends as cancelled when it is resumed, with its undos`() async throws {
    let (undone, last, id) = (Tally(), Tally(), UUID().uuidString)
    let flow = { @Sendable in
      Flow("Left").add("first", .undo { _ in undone.add() }) { _ in }
        .add("second") { _ in }.wait(.seconds(86_400)).add("last") { _ in last.add() }
    }
    let store = MemoryFlowStore([id: try await Self.waitingJournal(of: flow())])
    let before = undone.count
    try await store.cancel(id)
    let resumed = await flow().run(id: id, in: store)
    #expect(resumed.isCancelled && !resumed.hadEnded && undone.count == before + 1 && last.count == 0)
    #expect(store.journals[Mailbox.id(of: id)] == nil)
    #expect(await flow().run(id: id, in: store).hadEnded)
  }

  @Test func `a cancellation that is seen at any moment of a resume undoes what had ended`() async throws {
    let undone = Tally()
    let flow = { @Sendable in
      Flow("Left").add("first", .undo { _ in undone.add() }) { _ in }.wait(.seconds(86_400))
    }
    let entries = try await Self.waitingJournal(of: flow())
    for _ in 0..<100 {
      let (id, before) = (UUID().uuidString, undone.count)
      let store = MemoryFlowStore([id: entries])
      try await store.cancel(id)
      let looks = Task.detached {
        while !Task.isCancelled {
          MailboxWatch.shared.tell(id)
          await Task.yield()
        }
      }
      let resumed = await flow().run(id: id, in: store)
      looks.cancel()
      #expect(resumed.isCancelled && undone.count == before + 1)
    }
  }

  @Test func `a run that has read a cancellation is not put away`() async throws {
    let (store, room) = (MemoryFlowStore(), WaitingRoom())
    let journal = RunJournal(
      "a", try store.openJournal(of: "a").journal, size: 0, of: store, .operatingSystem, nil, on: nil,
      ratePeriod: { _ in nil }, keepsOrder: { _ in false })
    let mailbox = Mailbox(run: "a", store: store)
    let begun = Date(timeIntervalSinceReferenceDate: 700_000_000)
    room.connect(
      WaitingRoom.Link(journal: journal, mailbox: mailbox, begun: begun, hiddenSignals: [], engine: nil))
    try room.openMailbox()
    #expect(room.rest(of: 0) != nil)
    try await mailbox.append(SignalMessage(cancelling: "c", at: begun), begun: begun)
    #expect(room.rest(of: 0)?.messageCount == 0)
    room.readMailbox()
    #expect(room.rest(of: 0) == nil)
  }

  @Test func `a supervisor ends a run that it has put away`() async throws {
    let (store, ended) = (MemoryFlowStore(), Journal<String>())
    let flow = Flow("Order").wait(for: Self.number)
    let supervisor = FlowSupervisor(store, flows: [flow]) { id, outcome in ended.append("\(id) \(outcome.isCancelled)")
    }
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("1", of: "Order")
      while supervisor.status.waitingCount < 1 { await Task.yield() }
      try await store.cancel("1")
      while ended.entries.isEmpty { await Task.yield() }
    }
    #expect(ended.entries == ["1 true"])
  }

  @Test func `what has ended, or never was, can't be cancelled`() async throws {
    let store = MemoryFlowStore()
    #expect(await Flow("F").add("a") { _ in }.run(id: "a", in: store).isSuccess)
    for (id, code) in [
      ("a", FlowError.Code.runNotWaiting), ("none", .unknownRun), ("", .unknownRun), ("a.signals", .storeFailed),
    ] {
      let error = await #expect(throws: FlowError.self) { try await store.cancel(id) }
      #expect(error?.code == code)
    }
    #expect(store.journals.keys.sorted() == ["a"])
  }

  @Test func `a cancellation is for the run that it was meant for, and no later one of the same name`() async throws {
    let store = MemoryFlowStore()
    let message = SignalMessage(cancelling: "c", at: Date())
    try await Mailbox(run: "a", store: store).append(message, begun: Date(timeIntervalSince1970: 1))
    #expect(await Flow("F").add("a") { _ in }.wait(.zero).run(id: "a", in: store).isSuccess)
  }

  @Test func `a run that can be sent no more signals can be cancelled`() async throws {
    let (store, begins) = (MemoryFlowStore(), Signal())
    async let outcome = Self.endless(begins).run(id: "r", in: store)
    await begins.wait()
    let message = try SignalMessage(Self.number, 1, id: "m", at: Date(), sealing: nil)
    try await store.withJournal(of: Mailbox.id(of: "r")) { journal in
      try journal.append(Mailbox.Entry(message, begun: nil, number: Mailbox.limit).data)
    }
    await #expect(throws: FlowError.self) { try await store.send(Self.number, 1, to: "r") }
    try await store.cancel("r")
    #expect(await outcome.isCancelled)
  }
}
