import Foundation
import OperationFlow
import OperationFlowDurable
import TestSupport
import Testing

/// The steps, values and signals of runs, read from their stores without the code of their flows.
@Suite(.watched) struct StoredRecordTests {
  private let number: FlowSignal<Int> = "number"
  private let size: FlowKey<Int> = "size"

  private func states(_ id: String = "a", in store: MemoryFlowStore) async throws -> [String] {
    try #require(try await store.record(of: id)).steps.map { "\($0.path): \($0.state)" }
  }

  @Test func `each step has how it ended, with its last attempt and its items`() async throws {
    let (store, pin) = (MemoryFlowStore(), FlowKey<String>("pin", sensitive: true))
    let flow = Flow("All").set(pin, to: "secret-1234")
      .add("write", .writes(size), .undo { _ in }) { $0[size] = 3 }
      .add("keep", .undo { _ in throw TestError(name: "stuck") }) { _ in }
      .add("try", .retry(.attempts(3))) { if $0.attempt < 3 { throw TestError(name: "busy") } }
      .add("recover", .recover { _, _ in }) { _ in throw TestError(name: "down") }
      .add("skip", .when { _ in false }) { _ in }
      .forEach(in: 1...4, tolerating: .all, .named("items")) { (item: Int, _) in
        if item == 2 { throw TestError(name: "bad") }
      }
      .add("fail", .reads(pin)) { throw TestError(name: "no \(try $0.require(pin))") }
      .add("after") { _ in }
    #expect(await !flow.run(id: "a", in: store, sealing: .masking).isSuccess)
    let record = try #require(try await store.record(of: "a"))
    let states = try await states(in: store)
    #expect(
      states == [
        "1. write: undone", "2. keep: undo failed: TestError(stuck)", "3. try: succeeded", "4. recover: recovered",
        "5. skip: skipped", "6. items: succeeded", "7. fail: failed: TestError(no <redacted>)", "8. after: not reached",
      ])
    #expect(record.steps.map(\.attempt).prefix(4) == [1, 1, 3, 1] && record.steps.last?.attempt == 0)
    #expect(record.steps[5].settledItemCount == 4 && record.steps[5].failedItemCount == 1)
    #expect(record.values.map { "\($0.name)=\($0.text)" } == ["pin=<redacted>", "size=3"])
    #expect(record.run.id == "a" && record.run.flowName == "All" && record.run.hasEnded && record.messages.isEmpty)
    guard case .failed(let text) = record.run.state else { throw TestError(name: "it has not failed") }
    #expect(text.contains("no <redacted>") && !text.contains("Hidden"))
  }

  @Test func `a run that waits has its signals, and one that was cut what it was at`() async throws {
    let store = MemoryFlowStore()
    let flow = Flow("Order").add("first", .writes(size)) { $0[size] = 1 }.wait(for: number).add("last") { _ in }
    let run = flow.start(id: "a", in: store)
    while try await store.storedRun("a").map(\.state.waitCount) != 1 { await Task.yield() }
    #expect(
      try await states(in: store) == ["1. first: succeeded", "2. wait for number: waits", "3. last: not reached"])
    try await store.send("other" as FlowSignal<Int>, 1, to: "a")
    #expect(try await store.record(of: "a")?.messages.map(\.signal) == ["other"])
    run.cancel()
    _ = await run.outcome
    #expect(try await states(in: store)[1] == "2. wait for number: cancelled")
  }

  @Test func `there is none of a run that has not begun, and damage is an error`() async throws {
    let store = MemoryFlowStore(["broken": [Data([7])], "empty": []])
    for id in ["", "empty", "unknown", ".supervisor"] { #expect(try await store.record(of: id) == nil) }
    await #expect { try await store.record(of: "broken") } throws: {
      ($0 as? FlowError)?.code == .unreadableJournal && "\($0)".contains("broken") == false
    }
  }
}

extension FlowStoredRun.State {
  fileprivate var waitCount: Int { if case .waiting(let waits) = self { waits.count } else { 0 } }
}
