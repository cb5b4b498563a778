import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

@Suite(.watched) struct ProductionLineTests {
  private let globally: AsyncPerformer = { DispatchQueue.global().async(execute: $0) }

  @Test func `never more than the limit run at once, and all are run`() async {
    for seed in UInt64(0)..<60 {
      var random = SeededGenerator(seed: seed)
      let width = 1 + random.below(5)
      let count = 1 + random.below(80)
      let site = Site()
      let isSynchronous = random.oneIn(4)
      let line = ProductionLine<Worker>(
        maxCount: width, performer: isSynchronous ? atOncePerformer : globally)
      let done = Tally()
      for number in 0..<count {
        if random.oneIn(9) { line.suspend() }
        let worker = Worker(number: number, site: site, isLater: random.oneIn(2), isFailing: random.oneIn(5))
        line.add(worker) { _ in done.add() }
        if random.oneIn(3) { line.resume() }
      }
      for _ in 0..<count { line.resume() }
      await done.reach(count)
      #expect(site.peak <= width, "seed \(seed)")
      #expect(site.started.sorted() == Array(0..<count), "seed \(seed)")
      if width == 1 { #expect(site.started == Array(0..<count), "seed \(seed)") }
    }
  }

  @Test func `many threads add at once`() async {
    let site = Site()
    let line = ProductionLine<Worker>(maxCount: 2, performer: globally)
    let done = Tally()
    let add = { @Sendable (first: Int) in
      for number in first..<first + 100 { line.add(Worker(number: number, site: site)) { _ in done.add() } }
    }
    await atOnce({ add(0) }, { add(100) }, { add(200) }, { add(300) })
    await done.reach(400)
    #expect(site.peak <= 2 && Set(site.started).count == 400)
    #expect(line.pendingCount == 0)
  }

  @Test(arguments: [true, false])
  func `a task that is cancelled doesn't wait for its progression's turn`(isAlreadyInLine: Bool) async {
    let line = ProductionLine<Worker>(maxCount: 1, performer: globally)
    let site = Site()
    line.suspend()
    let isCancelled = Signal()
    let task = Task {
      if !isAlreadyInLine { await isCancelled.wait() }
      return try await line.run(Worker(number: 0, site: site))
    }
    while isAlreadyInLine, line.pendingCount == 0 { await Task.yield() }
    task.cancel()
    isCancelled.fire()
    let error = await #expect(throws: FlowError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled && line.pendingCount == 0 && site.started.isEmpty)
    #expect(error?.problem.contains("task") == true, "it says what has cancelled it")
    line.resume()
  }

  @Test func `tasks that are cancelled at the same time all end`() async {
    let (line, site) = (ProductionLine<Worker>(maxCount: 1, performer: globally), Site())
    line.suspend()
    for _ in 0..<20 {
      let tasks = (0..<40).map { number in Task { try await line.run(Worker(number: number, site: site)) } }
      while line.pendingCount < tasks.count { await Task.yield() }
      await atOnce({ tasks[..<20].forEach { $0.cancel() } }, { tasks[20...].reversed().forEach { $0.cancel() } })
      for task in tasks { await #expect(throws: FlowError.self) { _ = try await task.value } }
    }
    #expect(line.pendingCount == 0 && site.started.isEmpty)
  }

  @Test func `each of many cancelled tasks leaves the line without a look at the others`() async {
    let (line, site) = (ProductionLine<Worker>(maxCount: 1, performer: globally), Site())
    line.suspend()
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<20_000 {
        let worker = Worker(number: number, site: site)
        group.addTask { await #expect(throws: FlowError.self) { try await line.run(worker) } }
      }
      while line.pendingCount < 20_000 { await Task.yield() }
      group.cancelAll()
    }
    #expect(line.pendingCount == 0 && site.started.isEmpty)
  }

  @Test func `those that are left keep their order when others leave the line`() async {
    for seed in UInt64(0)..<40 {
      var random = SeededGenerator(seed: seed)
      let (line, site) = (ProductionLine<Worker>(maxCount: 1, performer: atOncePerformer), Site())
      line.suspend()
      var tasks: [(number: Int, task: Task<Int, any Error>)] = []
      var left: [Int] = []
      let done = Tally()
      for number in 0..<60 {
        if random.oneIn(2) {
          tasks.append((number, Task { try await line.run(Worker(number: number, site: site)) }))
          while line.pendingCount <= number { await Task.yield() }
        } else {
          line.add(Worker(number: number, site: site)) { _ in done.add() }
          left.append(number)
        }
      }
      var cancelledCount = 0
      for (number, task) in tasks.reversed() {
        guard random.oneIn(2) else {
          left.append(number)
          continue
        }
        task.cancel()
        cancelledCount += 1
        await #expect(throws: FlowError.self) { _ = try await task.value }
        #expect(line.pendingCount == 60 - cancelledCount, "seed \(seed)")
      }
      line.resume()
      for (number, task) in tasks where left.contains(number) { _ = await task.result }
      #expect(site.started == left.sorted() && line.pendingCount == 0, "seed \(seed)")
    }
  }

  @Test func `as many as may run at once do`() async {
    let gate = Signal()
    let line = ProductionLine<Waiter>(maxCount: 3, performer: globally)
    let started = Tally()
    let done = Tally()
    for _ in 0..<5 { line.add(Waiter(started: started, gate: gate)) { _ in done.add() } }
    await started.reach(3)
    #expect(line.activeCount == 3 && line.pendingCount == 2)
    gate.fire()
    await done.reach(5)
    #expect(started.count == 5)
  }

  @Test func `a suspended line starts nothing until it is resumed as often`() async {
    let site = Site()
    let line = ProductionLine<Worker>(maxCount: 2, performer: atOncePerformer)
    line.resume()
    line.suspend()
    line.suspend()
    line.add((0..<3).map { Worker(number: $0, site: site) })
    line.resume()
    #expect(site.started == [] && line.pendingCount == 3)
    line.resume()
    #expect(site.started == [0, 1, 2] && line.pendingCount == 0 && line.activeCount == 0)
  }

  @Test func `what is cleared does not run, and says so`() async {
    let site = Site()
    let gate = Signal()
    let line = ProductionLine<Waiter>(maxCount: 1, performer: globally)
    let codes = Noted<FlowError.Code?>()
    let started = Tally()
    let done = Tally()
    line.add(Waiter(started: started, gate: gate)) { use in
      codes.add((try? use()).map { _ in nil } ?? .neverFinished)
      done.add()
    }
    for _ in 0..<3 {
      line.add(Waiter(started: started, gate: gate)) { use in
        do { _ = try use() } catch { codes.add((error as? FlowError)?.code) }
      }
    }
    await started.reach(1)
    line.clearPending()
    #expect(codes.all == [.cancelled, .cancelled, .cancelled])
    gate.fire()
    await done.reach(1)
    #expect(codes.all.last == .some(nil) && started.count == 1 && site.started.isEmpty)
  }

  @Test(arguments: [0, -1, Int.min]) func `a width below one counts as one`(width: Int) {
    let site = Site()
    let line = ProductionLine<Worker>(maxCount: width, performer: atOncePerformer)
    line.add((0..<3).map { Worker(number: $0, site: site) })
    #expect(site.started == [0, 1, 2] && site.peak == 1)
  }

  @Test func `a long line that ends at once takes no stack`() async {
    let site = Site()
    await inThread(stackSize: 512 * 1_024) {
      let line = ProductionLine<Worker>(maxCount: 2, performer: atOncePerformer)
      line.add((0..<20_000).map { Worker(number: $0, site: site) })
    }
    #expect(site.started.count == 20_000)
  }

  @Test func `a line that nothing holds runs what it was given`() async {
    let done = Tally()
    let site = Site()
    do {
      let line = ProductionLine<Worker>(maxCount: 1, performer: globally)
      for number in 0..<20 { line.add(Worker(number: number, site: site, isLater: true)) { _ in done.add() } }
    }
    await done.reach(20)
    #expect(site.started == Array(0..<20))
  }

  @Test func `a line that is run and its item are freed`() async {
    let isFreed = Signal()
    do {
      let line = ProductionLine<Holder>(maxCount: 1, performer: globally)
      #expect(try await line.run(Holder(token: Token(isFreed))) == 1)
    } catch {
      Issue.record("\(error)")
    }
    await isFreed.wait()
  }

  @Test func `a task waits for its progression`() async throws {
    let line = ProductionLine<UpdatingCount>(maxCount: 1, performer: globally)
    async let first = line.run(UpdatingCount(to: 5))
    async let second = line.run(UpdatingCount(to: 6))
    #expect(try await [first, second] == [5, 6])
  }

  @Test func `a cancelled task's progression ends between two steps`() async {
    let line = ProductionLine<UpdatingCount>(maxCount: 1, performer: globally)
    let error = await #expect(throws: FlowError.self) {
      try await Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await line.run(UpdatingCount(to: .max))
      }.value
    }
    #expect(error?.code == .cancelled && error?.problem.contains("task") == true)
  }

  /// Counts the workers that run at the same time.
  private final class Site: Sendable {
    private let state = Locked((running: 0, peak: 0, started: [Int]()))

    var peak: Int { state.withLock { $0.peak } }
    var started: [Int] { state.withLock { $0.started } }

    func begin(_ number: Int) {
      state.withLock { state in
        state.running += 1
        state.peak = max(state.peak, state.running)
        state.started.append(number)
      }
    }

    func end() { state.withLock { $0.running -= 1 } }
  }

  private struct Worker: Progression {
    let number: Int
    let site: Site
    var isLater = false
    var isFailing = false
    var position = 0

    mutating func updateOrDeferNext() throws -> Deferred<Worker>? {
      var next = self
      next.position += 1
      switch position {
      case 0: site.begin(number)
      case 1 where isLater:
        return .future { [next] resolve in DispatchQueue.global().async { resolve { next } } }
      case 1: break
      default:
        site.end()
        if isFailing { throw TestError() }
      }
      self = next
      return nil
    }

    var result: Int? { position == 3 ? number : nil }
  }

  private struct Waiter: Progression {
    let started: Tally
    let gate: Signal
    var result: Bool?

    mutating func advance() async throws {
      await started.add(thenAwait: gate)
      result = true
    }
  }

  private struct Holder: Progression {
    let token: Token
    var result: Int?

    mutating func advance() async throws {
      token.touch()
      result = 1
    }
  }
}
