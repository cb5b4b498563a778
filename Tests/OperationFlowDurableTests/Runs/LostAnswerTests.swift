import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Payments whose answers are lost, in runs that fail, are cancelled, or are killed.
@Suite(.long) struct LostAnswerTests {
  @Test func `no payment is left without its undo or its success, and none is undone twice`() async {
    await forEachSeed(count: 300, workers: 4) { await PayingFlow(seed: $0).complaint() }
  }
}

/// The payments at a bank, from all processes of a run.
private final class Bank: Sendable {
  struct Account: Sendable {
    var charged: Set<String> = []
    var refunds: [String: Int] = [:]
    /// The number of attempted payments.
    var tryCount = 0
  }

  let account = Locked(Account())

  func charge(_ key: String) { account.withLock { _ = $0.charged.insert(key) } }

  func refund(_ key: String) {
    account.withLock { account in
      account.refunds[key, default: 0] += 1
      account.charged.remove(key)
    }
  }
}

/// A random flow that pays in steps, items and branches.
private struct PayingFlow: Sendable {
  indirect enum Step: Sendable {
    case pay(attempts: Int, delay: Bool, suspends: Bool)
    case group(count: Int, width: Int, attempts: Int)
    case parallel([[Step]])
  }

  /// A process that may be killed: afterwards it has no effect, and its journal gets no further entries.
  private final class Process: Sendable {
    private struct State: Sendable {
      var entries: [Data]
      var isKilled = false
    }

    private let state: Locked<State>
    private let limit: Int

    init(_ entries: [Data], killedAt limit: Int) {
      state = Locked(State(entries: entries))
      self.limit = limit
    }

    var isKilled: Bool { state.withLock { $0.isKilled } }
    var entries: [Data] { state.withLock { $0.entries } }

    func append(_ entry: Data) {
      state.withLock { state in
        if state.entries.count >= limit { state.isKilled = true }
        if !state.isKilled { state.entries.append(entry) }
      }
    }

    /// Performs an effect outside the process.
    ///
    /// A process that was killed throws instead.
    func reach(_ effect: () -> Void) throws {
      if isKilled { throw CancellationError() }
      effect()
    }
  }

  private let seed: UInt64
  private let steps: [Step]
  /// The number of payments after which the run is cancelled; `nil` if it isn't.
  private let cancelsAfter: Int?
  /// The numbers of entries after which each process is killed.
  ///
  /// The last process isn't killed.
  private let kills: [Int]

  init(seed: UInt64) {
    self.seed = seed
    var random = SeededGenerator(seed: seed)
    steps = Self.steps(&random, depth: 0)
    cancelsAfter = random.oneIn(4) ? 1 + random.below(6) : nil
    kills = random.oneIn(2) ? [] : (0...random.below(3)).map { _ in 1 + random.below(10) }
  }

  private static func steps(_ random: inout SeededGenerator, depth: Int) -> [Step] {
    (0...random.below(3)).map { _ in
      switch random.below(depth < 2 ? 6 : 4) {
      case 0...2: .pay(attempts: 1 + random.below(2), delay: random.oneIn(3), suspends: random.oneIn(2))
      case 3: .group(count: random.below(5), width: 1 + random.below(3), attempts: 1 + random.below(2))
      default: .parallel((0..<2).map { _ in steps(&random, depth: depth + 1) })
      }
    }
  }

  /// Pays.
  ///
  /// The payment may be refused before, or its answer lost afterwards.
  private func pay(_ context: FlowContext, _ bank: Bank, _ process: Process, _ cancel: () -> Void) throws {
    let key = context.idempotencyKey
    var hash = SeededGenerator(seed: seed &+ UInt64(key.utf8.reduce(7) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF }))
    for _ in 0..<context.attempt { _ = hash.next() }
    let chance = hash.below(100)
    if bank.account.withLock({
      $0.tryCount += 1; return $0.tryCount
    }) == cancelsAfter {
      cancel()
    }
    if chance < 8 { throw TestError(name: "refused") }
    try process.reach { bank.charge(key) }
    if chance < 22 { throw TestError(name: "lost") }
  }

  private func add(
    _ steps: [Step], to flow: Flow, _ bank: Bank, _ process: Process, _ cancel: @escaping @Sendable () -> Void
  ) {
    let undo: @Sendable (FlowContext) throws -> Void = { context in
      try process.reach { bank.refund(context.stepIdempotencyKey) }
    }
    for step in steps {
      switch step {
      case .pay(let attempts, let delay, let suspends):
        flow.add(
          "pay", .retry(.attempts(attempts, delay: delay ? .microseconds(50) : .zero)),
          .undo(alsoIfUncertain: true, undo)
        ) { context async throws in
          if suspends { await Task.yield() }
          try pay(context, bank, process, cancel)
        }
      case .group(let count, let width, let attempts):
        flow.forEach(
          in: 0..<count, width: width, .named("items"), .retry(.attempts(attempts)), .undo(alsoIfUncertain: true, undo)
        ) { _, context in try pay(context, bank, process, cancel) }
      case .parallel(let branches):
        flow.parallel { parallel in
          for (number, branch) in branches.enumerated() {
            parallel.branch("\(number)") { add(branch, to: $0, bank, process, cancel) }
          }
        }
      }
    }
  }

  /// Returns a description of a fault; `nil` if there is none.
  func complaint() async -> String? {
    let bank = Bank()
    var random = SeededGenerator(seed: seed &+ 3)
    var entries: [Data] = []
    for (number, limit) in (kills + [.max]).enumerated() {
      let process = Process(entries, killedAt: limit == .max ? .max : entries.count + limit)
      let store = HookedStore(entries.isEmpty ? [:] : ["r": entries]) { $0.appending = { process.append($0) } }
      let flow = Flow("Paying")
      add(steps, to: flow, bank, process) { [weak flow] in flow?.cancel() }
      let run = flow.start(id: "r", in: store, durability: .operatingSystem)
      // The cancellation should arrive before the run continues.
      if number > 0, random.oneIn(3) { run.cancel() }
      let outcome = await run.outcome
      entries = process.entries
      if process.isKilled {
        // A process may leave its runs in order, with work that has begun.
        if random.oneIn(2), entries.count > 1 { entries.append(JournalEntry.left.data) }
        if random.oneIn(3), !entries.isEmpty {
          do { entries = try JournalCompaction.folded(entries, as: flow) } catch { return "seed \(seed): \(error)" }
        }
        continue
      }
      let account = bank.account.withLock { $0 }
      if !outcome.isSuccess, !account.charged.isEmpty {
        return "seed \(seed): \(account.charged.sorted()) neither succeeded nor undone, \(outcome.report.lines)"
      }
      if outcome.isSuccess, !account.refunds.isEmpty { return "seed \(seed): \(account.refunds) undone in a success" }
      // An undo is repeated if its process was killed immediately after it.
      if number == 0, let twice = account.refunds.first(where: { $0.value > 1 }) {
        return "seed \(seed): \(twice) twice"
      }
      return nil
    }
    return "seed \(seed): no process has lasted"
  }
}
