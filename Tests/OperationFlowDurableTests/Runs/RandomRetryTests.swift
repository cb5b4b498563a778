import Foundation
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

@Suite(.long) struct RandomRetryTests {
  @Test func `random flows that fail here and there, and are retried and cut, do each piece of work once`() async {
    await forEachSeed(count: 300, workers: 4) { await RetriedFlow(seed: $0).complaint() }
  }
}

/// A random flow whose work fails at first, so that its run is retried until all work succeeds.
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
  /// The number of times that each piece of work fails before it succeeds.
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

  /// The number of times that each piece of work was tried, and that it succeeded.
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

  /// Returns a description of a fault; `nil` if there is none.
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
