import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

struct Approval: Codable, Sendable, Equatable { var by: String }

extension FlowSignal where Value == Approval {
  static var approved: Self { "approved" }
  static var secret: Self { FlowSignal("secret", sensitive: true) }
}

/// Signals that are sent to runs, in one process.
@Suite(.watched) struct SignalTests {
  private static let approval = Approval(by: "ann")

  @Test func `a signal ends the step that waits for it, and its value is there`() async throws {
    let run = Flow("Order").wait(for: .approved).start()
    // A step runs for a moment before it waits.
    while run.waitingFor.first?.reason != .signal("approved", until: nil) { await Task.yield() }
    try run.send(.approved, Self.approval)
    let outcome = await run.outcome
    #expect(outcome.isSuccess && outcome.report[FlowSignal.approved.key] == Self.approval)
  }

  @Test func `a signal that comes first is kept, and several are taken in their order, each once`() async throws {
    let number: FlowSignal<Int> = "number"
    let (mayGo, seen) = (Gate(), Journal<Int?>())
    let flow = Flow("Several").add("first") { _ in mayGo.pass() }
    for _ in 1...3 { flow.wait(for: number).add("note") { seen.append($0[number.key]) } }
    let run = flow.start()
    for value in 1...3 { try run.send(number, value) }
    mayGo.open()
    #expect(await run.outcome.isSuccess && seen.entries == [1, 2, 3])
  }

  @Test func `a signal that doesn't come in time fails the step, and another try waits again`() async throws {
    let clock = ManualClock()
    let failed = await Flow("Late").wait(for: .approved, timeout: .seconds(60)).run(on: clock)
    let error = try #require(failed.error as? FlowError)
    #expect(error.code == .timedOut && error.key == "approved" && clock.now.offset == .seconds(60))
    let again = ManualClock()
    let recovered = Signal()
    let outcome = await Flow("Again")
      .wait(for: .approved, timeout: .seconds(60), .retry(.attempts(3)), .recover { _, _ in recovered.fire() })
      .run(on: again)
    #expect(outcome.isSuccess && recovered.isOn && again.now.offset == .seconds(180))
  }

  @Test func `a signal that another process has sent just before the end of the time counts`() async throws {
    let (store, clock) = (MemoryFlowStore(), ManualClock())
    let flow = Flow("InTime").clock(clock).wait(for: .approved, timeout: .seconds(60))
    let run = Task { await flow.run(id: "InTime", in: store) }
    await clock.untilSleeping()
    let message = try SignalMessage(.approved, Self.approval, id: "m", at: clock.startDate, sealing: nil)
    let journal = try store.openJournal(of: Mailbox.id(of: "InTime")).journal
    try journal.append(Mailbox.Entry(message, begun: nil).data)
    journal.close()
    await clock.advance(by: .seconds(60))
    let outcome = await run.value
    #expect(outcome.isSuccess && outcome.report[FlowSignal.approved.key] == Self.approval)
  }

  @Test func `a step may go on without its signal`() async {
    let clock = ManualClock()
    let flow = Flow("Optional").wait(for: .approved, continuingAfter: .seconds(5))
      .add("after") { #expect($0[FlowSignal.approved.key] == nil) }
    #expect(await flow.run(on: clock).isSuccess && clock.now.offset == .seconds(5))
  }

  @Test func `a value of another type fails the step, and says which`() async throws {
    let run = Flow("Mismatch").wait(for: .approved).start()
    try run.send("approved" as FlowSignal<Int>, 5)
    let error = try #require(await run.outcome.error as? FlowError)
    #expect(error.code == .mismatchedData && "\(error)".contains("Int") && "\(error)".contains("Approval"))
  }

  @Test func `a run that waits for nothing, or has ended, can't be sent anything`() async throws {
    let idle = Flow("Idle").add("one") { _ in }.start()
    #expect(throws: FlowError.self) { try idle.send(.approved, Self.approval) }
    let run = Flow("Ended").wait(for: .approved).start()
    try run.send(.approved, Self.approval)
    _ = await run.outcome
    let error = #expect(throws: FlowError.self) { try run.send(.approved, Self.approval) }
    #expect(error?.code == .runNotWaiting)
  }

  // MARK: Durable

  private static func order(_ clock: any Clock<Duration> = ContinuousClock()) -> Flow {
    Flow("Order").clock(clock).add("reserve") { _ in }.wait(for: .approved)
      .add("charge") { context in context.log("approved by \(try context.require(FlowSignal.approved.key).by)") }
  }

  @Test func `a durable run takes a signal that the store was sent`() async throws {
    let store = MemoryFlowStore()
    async let outcome = Self.order().run(id: "17", in: store)
    while store.journals["17"]?.isEmpty ?? true { await Task.yield() }
    try await store.send(.approved, Self.approval, to: "17")
    let ended = await outcome
    #expect(ended.isSuccess && ended.report[FlowSignal.approved.key] == Self.approval)
    // Only the journal is left of the run.
    #expect(store.journals.keys.sorted() == ["17"] && store.runIDs() == ["17"])
    let error = await #expect(throws: FlowError.self) { try await store.send(.approved, Self.approval, to: "17") }
    #expect(error?.code == .runNotWaiting)
  }

  @Test func `wherever a run was cut, it takes its signal once`() async throws {
    let make = {
      Flow("Cut").add("a") { _ in }.wait(for: .approved).add("b") { _ in }.wait(for: .approved)
        .add("c") { $0[FlowKey<String>("c")] = $0[FlowSignal.approved.key]?.by }
    }
    let store = MemoryFlowStore()
    async let run = make().run(id: "r", in: store)
    while store.journals["r"]?.isEmpty ?? true { await Task.yield() }
    try await store.send(.approved, Approval(by: "one"), to: "r")
    // Waits for the entry of the first signal, because the mailbox is removed at the end of the run.
    while store.journals["r"]?.contains(where: { (try? JournalEntry($0))?.isTaken == true }) != true {
      await Task.yield()
    }
    try await store.send(.approved, Approval(by: "two"), to: "r")
    #expect(await run.isSuccess)
    let all = try #require(store.journals["r"])
    let begun = try #require(JournalEntry(all[0]).beginning?.date)
    let messages = try ["one", "two"].map {
      try SignalMessage(.approved, Approval(by: $0), id: $0, at: Date(), sealing: nil)
    }
    // The identifiers are those in the journal.
    let ids = all.compactMap { try? JournalEntry($0).takenMessage }
    #expect(ids.count == 2)
    for count in 1..<all.count {
      let cut = MemoryFlowStore([
        "r": Array(all.prefix(count)),
        Mailbox.id(of: "r"): zip(messages, ids).map { Mailbox.Entry($0.renamed($1), begun: begun).data },
      ])
      let outcome = await make().run(id: "r", in: cut)
      let last = outcome.report[FlowKey<String>("c")]
      #expect(outcome.isSuccess && last == "two", "\(last ?? "none") after \(count) of \(all.count)")
    }
  }

  @Test func `a message that is sent twice arrives once`() async throws {
    let number: FlowSignal<Int> = "number"
    let store = MemoryFlowStore()
    for _ in 1...3 { try await store.send(number, 1, to: "r", messageID: "one", beforeItBegins: true) }
    try await store.send(number, 2, to: "r", beforeItBegins: true)
    let outcome = await Flow("Twice").wait(for: number).wait(for: number).run(id: "r", in: store)
    #expect(outcome.isSuccess && outcome.report[number.key] == 2)
  }

  @Test func `a run that nobody knows is an error, unless the signal is to be kept`() async throws {
    let store = MemoryFlowStore()
    let error = await #expect(throws: FlowError.self) { try await store.send(.approved, Self.approval, to: "x") }
    #expect(error?.code == .runNotWaiting && store.journals.isEmpty)
    for id in ["", "a.signals", ".supervisor"] {
      await #expect(throws: FlowError.self) { try await store.send(.approved, Self.approval, to: id) }
      #expect((await Flow("x").run(id: id, in: store).error as? FlowError)?.code == .storeFailed)
    }
  }

  @Test func `a signal for an earlier run of the same identifier isn't taken`() async throws {
    let store = HookedStore()
    let clock = ManualClock()
    let old = try SignalMessage(.approved, Approval(by: "old"), id: "old", at: Date(), sealing: nil)
    let journal = try store.openJournal(of: Mailbox.id(of: "r")).journal
    try journal.append(Mailbox.Entry(old, begun: Date(timeIntervalSince1970: 5)).data)
    journal.close()
    let flow = Flow("New").clock(clock).wait(for: .approved, timeout: .seconds(5))
    let outcome = await clock.lettingTimePass { await flow.run(id: "r", in: store) }
    #expect((outcome.error as? FlowError)?.code == .timedOut)
  }

  @Test func `a sensitive signal is stored only if it can be sealed`() async throws {
    let store = MemoryFlowStore()
    let sealing = FlowSealing(seal: { Data($0.reversed()) }, open: { Data($0.reversed()) })
    let secret = Approval(by: "topsecret")
    let error = await #expect(throws: FlowError.self) {
      try await store.send(.secret, secret, to: "r", beforeItBegins: true)
    }
    #expect(error?.code == .missingData)
    try await store.send(.secret, secret, to: "r", beforeItBegins: true, sealing: sealing)
    let bytes = store.journals[Mailbox.id(of: "r")]?.joined().map(\.self) ?? []
    #expect(!bytes.isEmpty && !String(decoding: bytes, as: UTF8.self).contains("topsecret"))
    let outcome = await Flow("Sealed").wait(for: .secret).run(id: "r", in: store, sealing: sealing)
    #expect(outcome.isSuccess && !outcome.report.summary.contains("topsecret"))
  }

  @Test func `a run whose mailbox is damaged is left until that is removed, and says so`() async throws {
    let store = MemoryFlowStore([Mailbox.id(of: "r"): [Data([9, 9, 9])]])
    let error = try #require(await Self.order().run(id: "r", in: store).error as? FlowError)
    #expect(error.code == .unreadableJournal && error.remedy.contains("r.signals"))
    #expect(try await store.unfinished().map(\.id) == ["r"])
    try store.removeJournal(of: Mailbox.id(of: "r"))
    try await store.send(.approved, Self.approval, to: "r")
    #expect(await Self.order().run(id: "r", in: store).isSuccess)
  }

  @Test func `nothing of a run that can't be resumed is kept for its signals`() async throws {
    let (id, store) = ("refused \(UUID())", MemoryFlowStore())
    try await store.send(.approved, Self.approval, to: id, beforeItBegins: true)
    #expect(await Self.order().run(id: id, in: store).isSuccess && !MailboxWatch.shared.knows(id))
    let damaged = MemoryFlowStore([id: Array(store.journals[id, default: []].prefix(1)) + [Data([99])]])
    let error = await Self.order().run(id: id, in: damaged).error as? FlowError
    #expect(error?.code == .unreadableJournal && !MailboxWatch.shared.knows(id))
  }

  @Test func `a folder that can't be used is an error of the sender`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("no-folder-\(UUID().uuidString)")
    try Data("x".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let error = await #expect(throws: FlowError.self) {
      try await FileFlowStore(folder: file).send(.approved, Self.approval, to: "r", beforeItBegins: true)
    }
    #expect(error?.code == .storeFailed)
  }

  @Test func `a file that is damaged is an error of the sender and of the run, and isn't touched`() async throws {
    try await withJournalFolder { folder in
      let store = FileFlowStore(folder: folder)
      try await store.send(.approved, Self.approval, to: "r", beforeItBegins: true)
      let file = store.file(of: Mailbox.id(of: "r"))
      var bytes = try Data(contentsOf: file)
      bytes[bytes.count - 1] ^= 1
      bytes += Data(repeating: 1, count: 600)
      try bytes.write(to: file)
      let outcome = await Self.order().run(id: "r", in: store)
      #expect((outcome.error as? FlowError)?.code == .unreadableJournal)
      await #expect(throws: FlowError.self) {
        try await store.send(.approved, Self.approval, to: "s", beforeItBegins: true)
        try await store.send(.approved, Self.approval, to: "r", beforeItBegins: true)
      }
      #expect(try Data(contentsOf: file) == bytes)
    }
  }

  @Test func `a mailbox that is full refuses more`() async throws {
    let message = try SignalMessage(.approved, Self.approval, id: "1", at: Date(), sealing: nil)
    let entries = (0..<Mailbox.limit).map { Mailbox.Entry(message.renamed("\($0)"), begun: nil).data }
    let store = MemoryFlowStore([Mailbox.id(of: "r"): entries])
    let error = await #expect(throws: FlowError.self) {
      try await store.send(.approved, Self.approval, to: "r", beforeItBegins: true)
    }
    #expect(error?.code == .storeFailed)
  }
}

extension JournalEntry {
  var isTaken: Bool { takenMessage != nil }
  var takenMessage: String? { if case .waits(let wait) = self { wait.message?.id } else { nil } }
  var beginning: JournalBeginning? { if case .begun(let beginning) = self { beginning } else { nil } }
}

extension SignalMessage {
  /// Returns a copy with another identifier.
  func renamed(_ id: String) -> SignalMessage {
    var writer = JournalWriter()
    write(to: &writer)
    var reader = JournalReader(writer.data)
    // A message that was just written can always be read.
    guard let copy = try? SignalMessage(&reader, as: id) else { return self }
    return copy
  }
}
