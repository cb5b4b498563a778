import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A failed run is resumed where it failed, after a call of `retry`.
@Suite(.watched) struct RetriedRunTests {
  /// The work that was done, and the names of the work that fails at present.
  private struct World: Sendable {
    let done = Journal<String>()
    let broken = Locked(Set<String>())

    func work(_ name: String) throws {
      if broken.withLock({ $0.contains(name) }) { throw TestError(name: name) }
      done.append(name)
    }

    let isMended = Signal()

    func mend() {
      broken.withLock { $0 = [] }
      isMended.fire()
    }

    func breakDown(_ names: String...) { broken.withLock { $0 = Set(names) } }
  }

  private let world = World()
  private let store = MemoryFlowStore()

  private func run(_ flow: Flow, retrying: Bool = true) async -> FlowOutcome {
    await flow.run(id: "a", in: store, durability: .operatingSystem, retryingFailure: retrying)
  }

  @Test func `what has settled stays, and the failed step begins again as a further attempt`() async {
    let attempts = Journal<String>()
    let flow = Flow("Order").add("reserve") { [world] _ in try world.work("reserve") }
      .add("charge", .retry(.attempts(2))) { [world] context in
        attempts.append("\(context.attempt) \(context.idempotencyKey)")
        try world.work("charge")
      }
      .add("ship") { [world] _ in try world.work("ship") }
    world.breakDown("charge")
    #expect(await run(flow).failure?.attempt == 2)
    world.mend()
    let ended = await run(flow, retrying: false)
    #expect(ended.hadEnded && ended.failure?.name == "[charge]")
    let outcome = await run(flow)
    #expect(outcome.isSuccess && !outcome.hadEnded && world.done.entries == ["reserve", "charge", "ship"])
    #expect(attempts.entries == [1, 2, 3].map { "\($0) a/2. charge" })
    #expect(outcome.report.record.steps.map(\.attempts) == [1, 3, 1])
    #expect(await run(flow).hadEnded)
  }

  @Test func `a run that fails again can be retried again, without attempts that it has used up`() async {
    let flow = Flow("Again").add("a") { [world] _ in try world.work("a") }
    world.breakDown("a")
    for attempt in 1...4 { #expect(await run(flow).failure?.attempt == attempt) }
    world.mend()
    #expect(await run(flow).isSuccess && world.done.entries == ["a"])
  }

  @Test func `an item begins again, and so does what its failure cut off`() async {
    let flow = Flow("Items").forEach(in: 0..<5, width: 2, .named("send")) { [world] item, _ in
      try world.work("\(item)")
    }
    world.breakDown("2")
    #expect(await run(flow).failure?.item == 2)
    world.mend()
    #expect(await run(flow).isSuccess && world.done.entries.sorted() == ["0", "1", "2", "3", "4"])
  }

  @Test func `branches that a failure cut off are done, and what has succeeded meanwhile is not done again`() async {
    let (isOver, fails) = (Signal(), Signal())
    let flow = Flow("Branches").parallel {
      $0.branch("left") { branch in
        branch.add("slow") { [world] _ async in
          fails.fire()
          await isOver.wait()
          try? world.work("slow")
        }
        branch.add("later") { [world] _ in try world.work("later") }
      }
      $0.branch("right") { branch in
        branch.add("fails") { [world] _ async throws in
          await fails.wait()
          defer { isOver.fire() }
          try world.work("fails")
        }
      }
    }
    world.breakDown("fails")
    #expect(await run(flow).failure?.name == "[fails]")
    world.mend()
    #expect(await run(flow).isSuccess)
    #expect(world.done.entries.filter { $0 == "slow" }.count == 1 && Set(world.done.entries).count == 3)
  }

  @Test func `steps that always run do so at the end of each try`() async {
    let flow = Flow("Always").add("a") { [world] _ in try world.work("a") }
      .always("close") { $0.add("close") { [world] _ in try world.work("close") } }
    world.breakDown("a")
    #expect(await run(flow).failure != nil)
    world.breakDown("close")
    #expect(await run(flow).failure?.name == "[close]")
    world.mend()
    #expect(await run(flow).isSuccess && world.done.entries == ["close", "a", "close"])
  }

  @Test func `a failed recovery lets its step begin again`() async {
    let flow = Flow("Recovery").add("a", .recover { [world] _, _ in try world.work("recover") }) { [world] _ in
      try world.work("a")
    }
    world.breakDown("a", "recover")
    #expect(await run(flow).failure != nil)
    world.mend()
    #expect(await run(flow).isSuccess && world.done.entries == ["a"])
  }

  @Test func `a run whose deadline has passed has its full time again`() async {
    let clock = ManualClock()
    let begins = Signal()
    let flow = Flow("Deadline").clock(clock).deadline(.seconds(5)).add("a") { [world] context async throws in
      guard context.attempt == 1, world.done.entries.isEmpty else { return }
      world.done.append("first")
      begins.fire()
      try await clock.sleep(for: .seconds(60))
    }
    let first = flow.start(id: "a", in: store)
    await begins.wait()
    await clock.advance(by: .seconds(5))
    #expect((await first.outcome.error as? FlowError)?.code == .deadlineExceeded)
    #expect(await run(flow).isSuccess)
  }

  @Test func `conditions, cases and items that could not be found are looked at again`() async {
    let key: FlowKey<String> = "key"
    let flow = Flow("Choice").add("write", .writes(key)) { [world] context in
      context[key] = world.done.entries.isEmpty ? "x" : "y"
      world.done.append("write")
    }
    .add(
      "checked",
      .when { [world] _ in
        try world.work("condition"); return true
      }
    ) { [world] _ in
      try world.work("checked")
    }
    world.breakDown("condition")
    #expect(await run(flow).failure != nil)
    world.mend()
    #expect(await run(flow).isSuccess && world.done.entries == ["write", "condition", "checked"])
  }

  @Test func `the rest of a sequence comes, although the failure has ended the wait for its next element`() async {
    let isWaiting = Signal()
    let flow = Flow("Sequence").forEach(
      in: Awaited(isWaiting: isWaiting, mayGoOn: world.isMended), width: 2, .named("send")
    ) {
      [world] item, _ async throws in
      if item == 0 { await isWaiting.wait() }
      try world.work("\(item)")
    }
    world.breakDown("0")
    #expect(await run(flow).failure?.item == 0)
    world.mend()
    #expect(await run(flow).isSuccess && world.done.entries.sorted() == ["0", "1", "2"])
  }

  @Test func `each result is handed on once, that of the item that begins again when it has ended for good`() async {
    let results = Journal<String>()
    let flow = Flow("Results").forEach(
      in: 0..<4, width: 2, .named("send"),
      .onEachResult { result, index, _ in
        if case .succeeded = result { results.append("\(index)") }
      }
    ) { [world] item, _ in try world.work("\(item)") }
    world.breakDown("1")
    #expect(await run(flow).failure?.item == 1)
    world.mend()
    #expect(await run(flow).isSuccess && results.entries.sorted() == ["0", "1", "2", "3"])
  }

  @Test func `a recovery that failed after the time of all attempts was over lets the step begin again`() async {
    let clock = ManualClock()
    let make = { [world] in
      Flow("Expired").clock(clock).add(
        "a", .retry(.attempts(5, delay: .seconds(60))), .timeout(.seconds(90), of: .allAttempts),
        .recover { [world] _, _ in try world.work("recover") }
      ) { [world] _ in try world.work("a") }
    }
    world.breakDown("a", "recover")
    let first = make().start(id: "a", in: store, durability: .operatingSystem)
    while first.currentOutcome == nil { await clock.advance(by: .seconds(30)) }
    #expect(await first.outcome.failure != nil)
    world.mend()
    #expect(await run(make()).isSuccess && world.done.entries == ["a"])
  }

  @Test func `a wait that the failure cut off has its full time again`() async throws {
    let clock = ManualClock()
    let signal: FlowSignal<String> = "approved"
    let make = { [world] in
      Flow("Waits").clock(clock).parallel {
        $0.branch("waits") { $0.wait(for: signal, timeout: .seconds(3_600)) }
        $0.branch("fails") { $0.add("fails") { [world] _ in try world.work("fails") } }
      }
    }
    world.breakDown("fails")
    #expect(await run(make()).failure != nil)
    world.mend()
    await clock.advance(by: .seconds(86_400))
    let again = make().start(id: "a", in: store, durability: .operatingSystem, retryingFailure: true)
    while again.waitingFor.isEmpty || again.waitingFor.first?.reason == .opening { await Task.yield() }
    try await store.send(signal, "yes", to: "a", clock: clock)
    #expect(await again.outcome.isSuccess)
  }

  // MARK: Refusals

  @Test func `a run whose work was undone is not retried, and left as it was`() async throws {
    let flow = Flow("Undone").add("a", .undo { [world] _ in try world.work("undo") }) { _ in }
      .add("b") { [world] _ in try world.work("b") }
    world.breakDown("b")
    #expect(await run(flow).failure != nil)
    let before = store.journals
    let refused = await run(flow)
    #expect((refused.error as? FlowError)?.code == .notRetryable && store.journals == before)
    let error = await #expect(throws: FlowError.self) { try await store.retry("a") }
    #expect(error?.code == .notRetryable && error?.problem.contains("was undone") == true)
    #expect(await run(flow, retrying: false).failure?.name == "[b]")
  }

  @Test func `what has not failed is not retried`() async throws {
    #expect(await run(Flow("Fine").add("a") { _ in }).isSuccess)
    #expect(await run(Flow("Fine").add("a") { _ in }).hadEnded)
    for (id, code) in [("a", FlowError.Code.notRetryable), ("none", .unknownRun), ("", .unknownRun)] {
      let error = await #expect(throws: FlowError.self) { try await store.retry(id) }
      #expect(error?.code == code)
    }
  }

  @Test func `a sequence that ends with too many failed items is refused`() async throws {
    let items = AsyncStream<Int> { stream in
      for item in 0..<3 { stream.yield(item) }
      stream.finish()
    }
    let flow = Flow("Sequence").forEach(in: items, width: 1, tolerating: .share(0.1), .named("send")) {
      [world] item, _ in try world.work("\(item)")
    }
    world.breakDown("1")
    #expect(await run(flow).failure != nil)
    let error = await #expect(throws: FlowError.self) { try await store.retry("a") }
    #expect(error?.problem.contains("too many of its items") == true)
  }

  @Test func `a flow that has changed before the failure doesn't retry the run`() async {
    world.breakDown("b")
    let flow = { (first: String) in
      Flow("Changed").add(first) { _ in }.add("b") { [world] _ in try world.work("b") }
    }
    #expect(await run(flow("a")).failure != nil)
    let before = store.journals
    #expect((await run(flow("other")).error as? FlowError)?.code == .changedFlow && store.journals == before)
  }

  @Test func `a run that can't be restored any more is left as it was, and can be retried later`() async {
    let make = { (count: Int) in
      Flow("Items").forEach(in: 0..<count, width: 1, .named("send")) { [world] item, _ in try world.work("\(item)") }
    }
    world.breakDown("3")
    #expect(await run(make(5)).failure?.item == 3)
    let before = store.journals
    world.mend()
    #expect((await run(make(2)).error as? FlowError)?.code == .changedFlow && store.journals == before)
    #expect(await run(make(5)).isSuccess && world.done.entries == ["0", "1", "2", "3", "4"])
  }

  @Test func `a store that can't be written leaves the run as it was`() async {
    world.breakDown("a")
    let flow = Flow("Store").add("a") { [world] _ in try world.work("a") }
    #expect(await run(flow).failure != nil)
    world.mend()
    let broken = HookedStore(store.journals) { $0.replacing = { throw TestError(name: "full") } }
    let outcome = await flow.run(id: "a", in: broken, retryingFailure: true)
    #expect((outcome.error as? FlowError)?.code == .storeFailed && broken.memory.journals == store.journals)
    #expect(world.done.entries.isEmpty)
    #expect(await run(flow).isSuccess)
  }

  // MARK: Supervisors

  @Test func `a supervisor resumes what is retried, also if the listener of its end does that`() async throws {
    world.breakDown("a")
    let outcomes = Journal<Bool>()
    let isOver = Signal()
    let flow = Flow("Supervised").add("a") { [world] _ in try world.work("a") }
    let supervisor = FlowSupervisor(store, flows: [flow]) { [store, world] _, outcome in
      outcomes.append(outcome.isSuccess)
      if outcome.isSuccess { return isOver.fire() }
      world.mend()
      Task { do { try await store.retry("a") } catch { Issue.record(error) } }
    }
    try await SupervisorTests.supervising(supervisor) {
      try await supervisor.begin("a", of: "Supervised")
      await isOver.wait()
    }
    #expect(outcomes.entries == [false, true] && world.done.entries == ["a"])
  }
}

/// Elements of which the third arrives only after a signal.
///
/// A cancelled wait ends the sequence, like a stream.
private struct Awaited: AsyncSequence, Sendable {
  let isWaiting: Signal
  let mayGoOn: Signal

  struct AsyncIterator: AsyncIteratorProtocol {
    let sequence: Awaited
    var next = 0

    mutating func next() async -> Int? {
      defer { next += 1 }
      guard next < 3 else { return nil }
      if next == 2 {
        sequence.isWaiting.fire()
        if !sequence.mayGoOn.isOn {
          await untilCancelled()
          return nil
        }
      }
      return next
    }
  }

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
}
