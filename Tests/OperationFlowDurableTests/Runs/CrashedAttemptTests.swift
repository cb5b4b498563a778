import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// An attempt during which the process ends counts like any other.
@Suite(.watched) struct CrashedAttemptTests {
  /// The journals that the processes of a run left when they ended, each during some work.
  private struct Crashes: Sendable {
    let store: MemoryFlowStore
    let left: Journal<[Data]>
    let attempts: Journal<Int>
    /// The number of processes that had ended before this one began.
    let earlierCount: Int

    init(store: MemoryFlowStore, left: Journal<[Data]>, attempts: Journal<Int>) {
      (self.store, self.left, self.attempts, earlierCount) = (store, left, attempts, left.entries.count)
    }

    /// True if the process has ended: whatever the run does afterwards has no effect.
    var isOver: Bool { left.entries.count > earlierCount }

    /// Ends the process as far as the journal shows: whatever the run does afterwards has no effect.
    func crash(_ context: FlowContext) throws -> Never { try crash(at: context.attempt) }

    func crash(at attempt: Int) throws -> Never {
      attempts.append(attempt)
      left.append(store.journals["a"] ?? [])
      throw CancellationError()
    }
  }

  /// Runs a flow again and again until a process doesn't end during the run.
  private func run(
    _ attempts: Journal<Int> = Journal(), atMost limit: Int = 30, editing edit: ([Data]) -> [Data] = { $0 },
    _ make: (Crashes) -> Flow
  ) async -> FlowOutcome? {
    let left = Journal<[Data]>()
    for count in 0..<limit {
      let store = MemoryFlowStore(left.entries.last.map { ["a": edit($0)] } ?? [:])
      let flow = make(Crashes(store: store, left: left, attempts: attempts))
      let outcome = await flow.run(id: "a", in: store, durability: .operatingSystem)
      if left.entries.count == count { return outcome }
    }
    return nil
  }

  @Test func `a step has the attempts that it is allowed, and then recovers as from any failure`() async throws {
    let (attempts, ran, failure) = (Journal<Int>(), Journal<String>(), Journal<String>())
    let outcome = await run(attempts) { crashes in
      Flow("Poison").add("fine") { _ in ran.append("fine") }
        .add(
          "crash", .retry(.attempts(3)), .recover { error, _ in failure.append("\(error)") }
        ) { try crashes.crash($0) }
        .add("after") { _ in ran.append("after") }
    }
    #expect(outcome?.isSuccess == true && attempts.entries == [1, 2, 3] && ran.entries == ["fine", "after"])
    #expect(outcome?.report.recoveries.map(\.attempts) == [3])
    let text = try #require(failure.entries.first)
    #expect(text.contains("[crash]") && text.contains("the process has ended 3 times while this was at work"))
  }

  @Test func `failures and ends of the process are counted together`() async {
    let attempts = Journal<Int>()
    let outcome = await run(attempts) { crashes in
      Flow("Poison").add("crash", .retry(.attempts(4))) { context in
        if context.attempt == 2 {
          attempts.append(-2)
          throw TestError(name: "busy")
        }
        try crashes.crash(context)
      }
    }
    #expect((outcome?.error as? FlowError)?.code == .processEnded && attempts.entries == [1, -2, 3, 4])
    #expect(outcome?.failure?.attempt == 4)
  }

  @Test func `a step without a number of attempts is begun ten times, and then the run is undone`() async {
    for isObject in [false, true] {
      let (attempts, ran) = (Journal<Int>(), Journal<String>())
      let outcome = await run(attempts) { crashes in
        let flow = Flow("Poison").add("pay", .undo { _ in if !crashes.isOver { ran.append("refunded") } }) { _ in
          ran.append("paid")
        }
        if isObject {
          flow.add(operation: CrashingOperation { try crashes.crash(at: attempts.entries.count + 1) })
        } else {
          flow.add("crash") { try crashes.crash($0) }
        }
        return flow.always("end") { $0.add("end") { _ in if !crashes.isOver { ran.append("ended") } } }
      }
      #expect((outcome?.error as? FlowError)?.code == .processEnded)
      #expect(
        attempts.entries == Array(1...AttemptPlan.uncountedBeginLimit) && ran.entries == ["paid", "refunded", "ended"])
    }
  }

  @Test func `a failure of a step that has one attempt is final, however often its process had ended`() async {
    let attempts = Journal<Int>()
    let outcome = await run(attempts) { crashes in
      Flow("Poison").add("crash") { context in
        if context.attempt == 3 { throw TestError(name: "no room") }
        try crashes.crash(context)
      }
    }
    #expect(outcome?.error is TestError && attempts.entries == [1, 2] && outcome?.failure?.attempt == 3)
  }

  @Test func `an item that ends its process is one failed item`() async {
    let (attempts, ran) = (Journal<Int>(), Journal<Int>())
    let outcome = await run(attempts) { crashes in
      Flow("Items").forEach(
        in: [0, 1, 2], into: "out" as FlowKey<[Int]>, width: 1, tolerating: .failures(1), .retry(.attempts(2))
      ) { item, context in
        if item == 1 { try crashes.crash(context) }
        if !crashes.isOver { ran.append(item) }
        return item * 10
      }
    }
    #expect(outcome?.isSuccess == true && attempts.entries == [1, 2] && ran.entries == [0, 2])
    #expect(outcome?.report["out" as FlowKey<[Int]>] == [0, 20])
    #expect(outcome?.report.itemFailures.map(\.index) == [1])
    #expect((outcome?.report.itemFailures.first?.error as? FlowError)?.code == .processEnded)
  }

  @Test func `an item that fails its group for good leaves a journal that every later process understands`() async {
    let left = Journal<[Data]>()
    for width in [1, 3] {
      let outcome = await run { crashes in
        Flow("Items").add("pay", .undo { _ in if !crashes.isOver { left.append(crashes.store.journals["a"] ?? []) } }) {
          _ in
        }
        .forEach(in: [0, 1, 2], width: width, .retry(.attempts(2))) { item, context in
          if item == 1 { try crashes.crash(context) }
        }
      }
      #expect((outcome?.error as? FlowError)?.code == .processEnded && outcome?.report.undos.count == 1)
    }
    #expect(left.entries.count == 2)
    for entries in left.entries {
      let undone = Tally()
      let again = Flow("Items").add("pay", .undo { _ in undone.add() }) { _ in }
        .forEach(in: [0, 1, 2], width: 1, .retry(.attempts(2))) { _, _ in }
      let outcome = await again.run(id: "a", in: MemoryFlowStore(["a": entries]))
      #expect((outcome.error as? FlowError)?.code == .processEnded && undone.count == 1)
    }
  }

  @Test func `an undo that ends its process fails, and the others still run`() async {
    let (attempts, undone) = (Journal<Int>(), Journal<String>())
    let outcome = await run(attempts) { crashes in
      Flow("Undo").add("one", .undo { _ in if !crashes.isOver { undone.append("one") } }) { _ in }
        .add("two", .undo(retry: .attempts(2)) { try crashes.crash($0) }) { _ in }
        .add("last") { _ in throw TestError(name: "no room") }
    }
    #expect(attempts.entries == [1, 2] && undone.entries == ["one"])
    #expect(
      (outcome?.report.undos.first?.error as? FlowError)?.code == .processEnded && outcome?.report.undos.count == 2)
  }

  @Test func `a run that was left counts no attempt, and neither does a step that waits`() async throws {
    let attempts = Journal<Int>()
    let outcome = await run(attempts, atMost: 12, editing: { $0 + [JournalEntry.left.data] }) { crashes in
      Flow("Long").add("work", .retry(.attempts(2))) { try crashes.crash($0) }
    }
    #expect(outcome == nil && attempts.entries == Array(repeating: 1, count: 12))
    let waits = try await Flow("Long").wait(.zero).cut(settled: 0).journals["a"]
    #expect(waits?.contains { $0.first == JournalEntry.Kind.begins.rawValue } == false)
  }

  @Test(arguments: [false, true])
  func `trouble of a store counts no attempt, while the process that has it lasts`(isBrief: Bool) async throws {
    let (isFull, attempts) = (Locked(false), Journal<Int>())
    let store = HookedStore { hooks in
      hooks.appending = { entry in
        // Brief trouble ends when the run is left, and other trouble ends later.
        if isBrief, entry.first == JournalEntry.Kind.left.rawValue { isFull.withLock { $0 = false } }
        if isFull.withLock({ $0 }) { throw TestError(name: "full") }
      }
    }
    let flow = Flow("Trouble").add("work", .retry(.attempts(2))) { context in
      attempts.append(context.attempt)
      isFull.withLock { $0 = attempts.entries.count <= 5 }
    }
    for _ in 0..<5 {
      #expect(await flow.run(id: "brief \(isBrief)", in: store).code == .storeFailed)
      if isBrief { #expect(try await store.memory.unfinished().map(\.crashCount) == [0]) }
      isFull.withLock { $0 = false }
    }
    #expect(
      await flow.run(id: "brief \(isBrief)", in: store).isSuccess && attempts.entries == Array(repeating: 1, count: 6))
  }

  @Test func `a run that is left without having begun anything leaves its journal as it is`() async throws {
    for hasBegun in [false, true] {
      let store = try await Flow("Long").add("one") { _ in }.add("two") { _ in }.cut(settled: 1)
      let journal = RunJournal(
        "a", try store.openJournal(of: "a").journal, size: 0, of: store, .operatingSystem, nil, on: nil,
        ratePeriod: { _ in nil }, keepsOrder: { _ in true })
      if hasBegun { journal.accept(.begins(JournalBegin(date: Date(), work: RunWork(.step, of: 1), attempt: 1))) }
      journal.suspend(with: nil)
      journal.flush()
      journal.close()
      #expect(store.journals["a"]?.count == (hasBegun ? 4 : 2))
    }
  }

  @Test func `an end of the process costs nothing of a run's retry budget`() async {
    let (attempts, ran) = (Journal<Int>(), Journal<Int>())
    let outcome = await run(attempts) { crashes in
      Flow("Poison").retryBudget(.retries(1)).add("crash", .retry(.attempts(5))) { context in
        if context.attempt < 4 { try crashes.crash(context) }
        if !crashes.isOver { ran.append(context.attempt) }
        if context.attempt == 4 { throw TestError(name: "busy") }
      }
    }
    #expect(outcome?.isSuccess == true && attempts.entries == [1, 2, 3] && ran.entries == [4, 5])
  }

  @Test func `an attempt that fails by itself is followed by no other, unless that was asked for`() async {
    for store in [MemoryFlowStore?.none, MemoryFlowStore()] {
      let ran = Tally()
      let flow = Flow("Once").add("work", .timeout(.seconds(60)), .recover { _, _ in }) { _ in
        ran.add()
        throw AskingError()
      }
      .forEach(in: [1], tolerating: .failures(1)) { _, _ in
        ran.add()
        throw AskingError()
      }
      let outcome = if let store { await flow.run(id: "a", in: store) } else { await flow.run() }
      #expect(outcome.isSuccess && ran.count == 2)
    }
  }

  @Test func `a checkpoint keeps attempts in the order in which they began`() throws {
    let begins = (0..<20).map { JournalBegin(date: Date(), work: RunWork(.item, of: 0, item: $0), attempt: 1) }
    let entries = begins.map { JournalEntry.begins($0).data }
    #expect(try JournalCompaction.folded(entries) { _ in true } == entries)
  }

  @Test func `a checkpoint keeps what has begun, and forgets what has ended`() async throws {
    let (attempts, counts) = (Journal<Int>(), Journal<Int>())
    let outcome = await run(
      attempts,
      editing: { entries in
        let folded = (try? JournalCompaction.folded(entries) { _ in true }) ?? []
        counts.append(folded.count { $0.first == JournalEntry.Kind.begins.rawValue })
        return folded
      }
    ) { crashes in
      Flow("Poison").add("one") { _ in }.add("two") { _ in }.add("crash", .retry(.attempts(3))) {
        try crashes.crash($0)
      }
    }
    #expect((outcome?.error as? FlowError)?.code == .processEnded && attempts.entries == [1, 2, 3])
    #expect(counts.entries == [1, 1, 1])
  }

  @Test func `a run that ends its process again and again can be told from one that goes on`() async throws {
    let (attempts, counts) = (Journal<Int>(), Journal<Int>())
    _ = await run(
      attempts,
      editing: { entries in
        var interrupted = InterruptedAttempts()
        for entry in entries { (try? JournalEntry(entry)).map { interrupted.add($0) } }
        counts.append(interrupted.consecutiveCount)
        return entries
      }
    ) { crashes in
      Flow("Poison").add("one", .retry(.attempts(3))) { context in
        if context.attempt < 3 { try crashes.crash(context) }
      }
      .add("two", .retry(.attempts(2))) { try crashes.crash($0) }
    }
    #expect(counts.entries == [1, 2, 1, 2])
    let store = MemoryFlowStore()
    let crashes = Crashes(store: store, left: Journal(), attempts: attempts)
    _ = await Flow("Poison").add("one") { try crashes.crash($0) }.run(id: "a", in: store)
    let left = MemoryFlowStore(["a": try #require(crashes.left.entries.first)])
    #expect(try await left.unfinished().map(\.crashCount) == [1])
  }
}

/// Asks for another attempt without a delay.
private struct AskingError: Error, FlowRetryDelaying { var retryDelay: Duration? { .zero } }

private final class CrashingOperation: FlowOperation, @unchecked Sendable {
  // Invariant: it has no state that changes.
  private let crash: @Sendable () throws -> Void

  init(_ crash: @escaping @Sendable () throws -> Void) { self.crash = crash }

  override func run() async throws { try crash() }
}
