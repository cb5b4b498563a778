import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A run that has failed is resumed where it failed, once someone says so.
@Suite(.watched) struct RetriedRunTests {
  /// The work that was done, and the names of the work that fails for now.
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

  // MARK: Random flows

  @Test func `random flows that fail here and there, and are retried and cut, do each piece of work once`() async {
    await forEachSeed(count: 300, workers: 4) { await RetriedFlow(seed: $0).complaint() }
  }
}

/// Elements of which the third comes only once the world is mended; a wait that is cancelled ends it, as that of a stream does.
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

/// A random flow whose work fails at first, so that its run is retried until all of it has succeeded.
private struct RetriedFlow: Sendable {
  indirect enum Step: Sendable {
    case closure(String, suspends: Bool, attempts: Int)
    case group(String, count: Int, width: Int)
    case parallel([[Step]])
    case inner([Step])
    case cases([Step])
  }

  private let steps: [Step]
  private let seed: UInt64
  /// How often each piece of work fails before it succeeds.
  private let failures: [String: Int]

  init(seed: UInt64) {
    var generator = Generator(random: SeededGenerator(seed: seed))
    self.seed = seed
    steps = generator.steps(depth: 0)
    failures = generator.failures
  }

  private struct Generator {
    var random: SeededGenerator
    var failures: [String: Int] = [:]

    mutating func name() -> String {
      let name = "w\(failures.count)"
      failures[name] = random.oneIn(4) ? 1 + random.below(3) : 0
      return name
    }

    mutating func steps(depth: Int) -> [Step] { (0..<(1 + random.below(3))).map { _ in step(depth: depth) } }

    mutating func step(depth: Int) -> Step {
      switch random.below(depth < 2 ? 8 : 5) {
      case 0...2: return .closure(name(), suspends: random.oneIn(2), attempts: random.oneIn(3) ? 2 : 1)
      case 3, 4:
        let (group, count) = (name(), random.below(5))
        for item in 0..<count where random.oneIn(5) { failures["\(group)#\(item)"] = 1 + random.below(2) }
        return .group(group, count: count, width: 1 + random.below(3))
      case 5: return .parallel((0..<2).map { _ in steps(depth: depth + 1) })
      case 6: return .inner(steps(depth: depth + 1))
      default: return .cases(steps(depth: depth + 1))
      }
    }
  }

  /// The number of times that each piece of work was tried and has succeeded.
  private struct Counts: Sendable {
    var tried: [String: Int] = [:]
    var done: [String: Int] = [:]
  }

  private func work(_ name: String, _ counts: Locked<Counts>) throws {
    let fails = counts.withLock { counts in
      counts.tried[name, default: 0] += 1
      if counts.tried[name, default: 0] <= failures[name, default: 0] { return true }
      counts.done[name, default: 0] += 1
      return false
    }
    if fails { throw TestError(name: name) }
  }

  private func add(_ steps: [Step], to flow: Flow, _ counts: Locked<Counts>) {
    for step in steps {
      switch step {
      case .closure(let name, true, let attempts):
        flow.add(name, .retry(.attempts(attempts))) { _ async throws in
          await Task.yield()
          try work(name, counts)
        }
      case .closure(let name, false, let attempts):
        flow.add(name, .retry(.attempts(attempts))) { _ in try work(name, counts) }
      case .group(let name, let count, let width):
        flow.forEach(in: 0..<count, width: width, .named(name)) { item, _ in try work("\(name)#\(item)", counts) }
      case .parallel(let branches):
        flow.parallel { parallel in
          for (number, branch) in branches.enumerated() {
            parallel.branch("\(number)") { add(branch, to: $0, counts) }
          }
        }
      case .inner(let steps):
        let inner = Flow("Inner")
        add(steps, to: inner, counts)
        flow.add(flow: inner)
      case .cases(let steps):
        flow.cases(on: FlowKey<String>("choice")) { cases in
          cases.when("yes") { add(steps, to: $0, counts) }
          cases.otherwise { $0.addNothing() }
        }
      }
    }
  }

  private func build(_ counts: Locked<Counts>) -> Flow {
    let flow = Flow("Random").set("choice", to: "yes")
    add(steps, to: flow, counts)
    return flow
  }

  /// What went wrong; `nil` if nothing did.
  func complaint() async -> String? {
    let counts = Locked(Counts())
    var random = SeededGenerator(seed: seed &+ 1)
    var store = MemoryFlowStore()
    let mostRounds = failures.values.reduce(2, +)
    for round in 0..<mostRounds {
      if random.oneIn(2), round > 0 { try? await store.retry("r") }
      let outcome = await build(counts).run(id: "r", in: store, durability: .operatingSystem, retryingFailure: true)
      // An earlier process may have ended after the retry, and before its first entry.
      if !outcome.isSuccess, random.oneIn(3) {
        do { try await store.retry("r") } catch { return "seed \(seed): \(error)" }
        store = MemoryFlowStore(store.journals)
      }
      if outcome.isSuccess {
        let done = counts.withLock { $0.done }
        if let twice = done.first(where: { $0.value != 1 }) {
          return "seed \(seed): \(twice.key) was done \(twice.value) times"
        }
        let failed = failures.filter { $0.value > 0 && done[$0.key] == nil && $0.key.contains("#") }
        return failed.isEmpty ? nil : "seed \(seed): \(failed) were not done"
      }
      if !(outcome.error is TestError), !(outcome.error is FlowStoredError) { return "seed \(seed): \(outcome)" }
    }
    return "seed \(seed): it has not ended"
  }
}
