import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// The results and errors that senders of signals get.
@Suite(.watched) struct UntakenSignalTests {
  private static let (a, b): (FlowSignal<Int>, FlowSignal<Int>) = ("a", "b")

  @Test func `a message's identifier belongs to its signal, also after a restart`() async throws {
    let store = MemoryFlowStore()
    for _ in 1...2 {
      try await store.send(Self.a, 1, to: "r", messageID: "same", beforeItBegins: true)
      try await store.send(Self.b, 2, to: "r", messageID: "same", beforeItBegins: true)
    }
    let mailbox = store.journals[Mailbox.id(of: "r")]
    let make = { Flow("Two").wait(for: Self.a).wait(for: Self.b).add("end") { _ in } }
    let outcome = await make().run(id: "r", in: store)
    #expect(outcome.isSuccess && outcome.report[Self.a.key] == 1 && outcome.report[Self.b.key] == 2)
    let all = try #require(store.journals["r"])
    for count in 1..<all.count {
      let cut = MemoryFlowStore(["r": Array(all.prefix(count)), Mailbox.id(of: "r"): try #require(mailbox)])
      let again = await make().run(id: "r", in: cut)
      #expect(again.report[Self.a.key] == 1 && again.report[Self.b.key] == 2, "after \(count) of \(all.count)")
    }
  }

  @Test func `the report of a run names the signals that no step has taken`() async throws {
    let store = MemoryFlowStore()
    for signal in ["a", "a", "misspelt", "b"] as [FlowSignal<Int>] {
      try await store.send(signal, 1, to: "r", beforeItBegins: true)
    }
    let outcome = await Flow("Takes").wait(for: Self.a).wait(for: Self.b).run(id: "r", in: store)
    let warnings = outcome.report.events.compactMap { if case .warned(let text) = $0.kind { text } else { nil } }
    #expect(warnings.count == 1 && warnings.first?.hasSuffix("sent: a, misspelt") == true, "\(warnings)")
    #expect(outcome.report.summary.contains("misspelt") && store.journals.keys.sorted() == ["r"])
    let run = Flow("Here").wait(for: Self.a).start()
    for signal in ["c", "c", "a"] as [FlowSignal<Int>] { try run.send(signal, 1) }
    let report = await run.outcome.report
    #expect(report.summary.contains("c (2 times)"), "\(report.summary)")
  }

  @Test func `a signal whose name is redacted isn't stored in clear text, whoever sends it`() async throws {
    let (store, password) = (MemoryFlowStore(), "password" as FlowSignal<String>)
    let error = await #expect(throws: FlowError.self) {
      try await store.send(password, "hunter2", to: "r", beforeItBegins: true)
    }
    #expect(error?.code == .missingData && error?.remedy.contains("FlowSealing") == true && store.journals.isEmpty)
    try await store.send(password, "hunter2", to: "r", beforeItBegins: true, sealing: .masking)
    let outcome = await Flow("Sealed").wait(for: password).run(id: "r", in: store, sealing: .masking)
    #expect(outcome.isSuccess && outcome.report[password.key] == "hunter2")
  }

  @Test func `a run that has begun has its own sensitive signals sealed by senders that don't know of them`()
    async throws
  {
    let (store, code) = (MemoryFlowStore(), "code" as FlowSignal<String>)
    let flow = Flow("Declares").wait(for: FlowSignal<String>("code", sensitive: true))
    async let outcome = flow.run(id: "r", in: store, sealing: .masking)
    while store.journals["r"]?.isEmpty ?? true { await Task.yield() }
    let error = await #expect(throws: FlowError.self) { try await store.send(code, "hunter2", to: "r") }
    #expect(error?.code == .missingData && store.journals[Mailbox.id(of: "r")] == nil)
    try await store.send(code, "hunter2", to: "r", sealing: .masking)
    #expect(await outcome.isSuccess)
  }

  @Test func `what was sent in clear text before the run began is encrypted when the run reads it`() async throws {
    let (store, code, sealed) = (HookedStore(), "code" as FlowSignal<String>, Signal())
    let watched = HookedStore { hooks in hooks.replacing = { sealed.fire() } }
    try await watched.send(code, "hunter2", to: "r", beforeItBegins: true)
    let bytes = { Array((watched.memory.journals[Mailbox.id(of: "r")] ?? []).joined()) }
    #expect(String(decoding: bytes(), as: UTF8.self).contains("hunter2"))
    let flow = Flow("Declares").add("before") { _ async in await sealed.wait() }
      .wait(for: FlowSignal<String>("code", sensitive: true)).wait(for: Self.a)
    async let outcome = flow.run(id: "r", in: watched, sealing: .masking)
    while String(decoding: bytes(), as: UTF8.self).contains("hunter2") { await Task.yield() }
    #expect(!bytes().isEmpty)
    try await watched.send(Self.a, 1, to: "r")
    let ended = await outcome
    #expect(ended.isSuccess && ended.report[code.key] == "hunter2")
    // Without a sealing, the run has a warning.
    try await store.send(code, "hunter2", to: "r", beforeItBegins: true)
    let open = await Flow("Open").wait(for: FlowSignal<String>("code", sensitive: true)).run(id: "r", in: store)
    #expect(open.isSuccess && open.report.summary.contains("clear text"))
  }

  @Test func `a mailbox is no run, whatever letter its run's identifier ends with`() async throws {
    let (id, store) = ("order \u{0600}", MemoryFlowStore())
    try await store.send(Self.a, 1, to: id, beforeItBegins: true)
    #expect(store.runIDs().isEmpty)
    #expect(
      (await Flow("Mailbox").add("x") { _ in }.run(id: id + ".signals", in: store).error as? FlowError)?.code
        == .storeFailed)
    try await withJournalFolder { folder in
      let files = FileFlowStore(folder: folder)
      try await files.send(Self.a, 1, to: id, beforeItBegins: true)
      #expect(try files.runIDs().isEmpty)
      #expect(await Flow("Takes").wait(for: Self.a).run(id: id, in: files).isSuccess)
      #expect(try files.runIDs() == [id])
    }
  }

  @Test func `a sender learns that a supervisor could not be notified, and sends again`() async throws {
    let isFull = Locked(false)
    let store = HookedStore([Mailbox.supervisor: []]) { hooks in
      hooks.appending = { entry in
        // The second ring is the first entry after the message.
        if isFull.withLock({ $0 }) { throw TestError(name: "full") }
        if (try? Mailbox.Entry(entry)) != nil { isFull.withLock { $0 = true } }
      }
    }
    let error = await #expect(throws: FlowError.self) {
      try await store.send(Self.a, 1, to: "r", messageID: "m-1", beforeItBegins: true)
    }
    #expect(
      error?.code == .storeFailed && error?.problem.contains("full") == true && error?.remedy.contains("m-1") == true)
    #expect(store.memory.journals[Mailbox.id(of: "r")]?.count == 1)
  }
}
