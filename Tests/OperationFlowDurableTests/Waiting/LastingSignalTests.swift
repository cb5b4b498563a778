import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

@Suite(.watched) struct LastingSignalTests {
  private static let number: FlowSignal<Int> = "number"

  @Test func `a signal whose sender gets an error isn't there, and damaged hints are no error`() async throws {
    let store = MemoryFlowStore([Mailbox.supervisor: [], Mailbox.bell: [Data([0xFF])]])
    try await store.send(Self.number, 7, to: "r", beforeItBegins: true)
    #expect(store.journals[Mailbox.id(of: "r")]?.count == 1)
    let heard = try MailboxBell(store: store).entries(after: 100)
    // The numbers started anew, so a reader of higher numbers reads all mailboxes.
    #expect(heard.new.map(\.run) == ["r", "r"] && heard.isGap)
  }

  @Test func `a supervisor makes hints that are damaged anew, and looks at all mailboxes`() throws {
    let store = MemoryFlowStore([Mailbox.bell: [Data([0xFF])]])
    #expect(try MailboxBell(store: store).entries(after: 0).isGap)
    #expect(store.journals[Mailbox.bell] == nil)
  }

  @Test(arguments: [386_768.045983934, 2_159_477_386.9443145, 1_700_000_000.123])
  func `a signal arrives whatever date the run has begun at`(start: TimeInterval) async throws {
    let (store, clock) = (MemoryFlowStore(), ManualClock(startingAt: Date(timeIntervalSince1970: start)))
    let flow = Flow("Old").clock(clock).wait(for: Self.number, timeout: .seconds(60))
    let run = Task { await flow.run(id: "r", in: store) }
    await clock.untilSleeping()
    try await store.send(Self.number, 7, to: "r")
    await clock.advance(by: .seconds(60))
    #expect(await run.value.isSuccess)
  }

  @Test func `on a manual clock, a signal that was sent before the end counts after a restart`() async throws {
    let (store, clock) = (MemoryFlowStore(), ManualClock())
    let make = { Flow("Sent").clock(clock).wait(for: Self.number, timeout: .seconds(3_600)) }
    let first = FlowSupervisor(store, flows: [make()], clock: clock)
    let supervising = Task { try await first.run() }
    try await first.begin("r", of: "Sent")
    while first.status.waitingCount < 1 { await Task.yield() }
    supervising.cancel()
    try await supervising.value
    try await store.send(Self.number, 7, to: "r", clock: clock)
    await clock.advance(by: .seconds(7_200))
    #expect(await make().run(id: "r", in: store).isSuccess)
  }
}
