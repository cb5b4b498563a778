import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

/// Performs and frees chains on a stack of half a megabyte, which is too small for a frame per link.
@Suite(.watched) struct DeferredChainTests {
  private static let length = 50_000

  private static let sources: [(name: String, deferred: @Sendable () -> Deferred<Int>)] = [
    ("a closure", { Deferred { 0 } }),
    ("a future that calls back at once", { .future { resolve in resolve { 0 } } }),
    ("a future that calls back later", { .future { resolve in DispatchQueue.global().async { resolve { 0 } } } }),
  ]

  private func result(_ make: @escaping @Sendable () -> Deferred<Int>) async -> Int? {
    let result = Noted<Int>()
    let isDone = Signal()
    await inThread(stackSize: 512 * 1_024) {
      make().perform { use in
        result.add((try? use()) ?? -1)
        isDone.fire()
      }
    }
    await isDone.wait()
    return result.all.first
  }

  private static let chains: [@Sendable (@escaping @Sendable () -> Deferred<Int>) -> Deferred<Int>] = [
    { source in (0..<length).reduce(source()) { chain, _ in chain.map { $0 + 1 } } },
    { source in
      (0..<length).reduce(source()) { chain, _ in
        chain.flatMap { use in
          let number = try use()
          return Deferred { number + 1 }
        }
      }
    },
    { source in count(from: 0, source) },
  ]

  private static func count(from number: Int, _ source: @escaping @Sendable () -> Deferred<Int>) -> Deferred<Int> {
    guard number < length else { return .unit { number } }
    return source().flatMap { use in count(from: number + 1 + (try use()), source) }
  }

  @Test(arguments: sources.indices, chains.indices)
  func `a long chain of maps or flat maps, or of a deferred that goes on with itself, takes no stack`(
    source: Int, chain: Int
  ) async {
    let (name, source) = Self.sources[source]
    #expect(await result { Self.chains[chain](source) } == Self.length, "\(name)")
  }

  @Test func `a long chain of joins and queues takes no stack`() async {
    let queue = DispatchQueue(label: "chain")
    let result = await result {
      (0..<10_000).reduce(Deferred { 0 }) { chain, _ in
        chain.and(Deferred { 1 }).map { $0 + $1 }.on(queue)
      }
    }
    #expect(result == 10_000)
  }

  @Test func `a long chain that fails, and one that is never performed, are freed without stack`() async {
    let result = await result {
      _ = (0..<Self.length).reduce(Deferred { 0 }) { chain, _ in chain.map { $0 + 1 } }
      return (0..<Self.length).reduce(Deferred<Int>(throwing: TestError())) { chain, _ in chain.map { $0 + 1 } }
    }
    #expect(result == -1)
  }

  @Test func `a long chain of queues, and one whose transforms hold the rest of it, are freed without stack`() async {
    let queue = DispatchQueue(label: "chain")
    let result = await result {
      _ = (0..<Self.length).reduce(Deferred { 0 }) { chain, _ in chain.on(queue) }
      _ = (0..<Self.length).reduce(Deferred {}) { chain, _ in Deferred {}.and(chain).ignoringResult() }
      return (0..<Self.length).reduce(Deferred { 1 }) { chain, _ in
        let rest = Transfer(chain)
        return Deferred {}.flatMap { _ in rest.value }
      }
    }
    #expect(result == 1)
  }

  @Test func `a long chain behind a callback that is dropped fails without stack`() async {
    let callback = Callback<Int>()
    let isDone = Signal()
    await inThread(stackSize: 512 * 1_024) {
      let chain = (0..<Self.length).reduce(callback.future) { chain, _ in chain.map { $0 + 1 } }
      chain.perform { use in if (try? use()) == nil { isDone.fire() } }
      callback.drop()
    }
    await isDone.wait()
  }

  @Test func `a deferred that goes on with itself keeps nothing of what is over`() async {
    // Each step's future retains its callback, so a chain of callbacks would show as tokens that stay alive.
    let alive = Locked((count: 0, peak: 0))
    final class Counted: Sendable {
      let alive: Locked<(count: Int, peak: Int)>
      init(_ alive: Locked<(count: Int, peak: Int)>) {
        self.alive = alive
        alive.withLock { $0 = ($0.count + 1, max($0.peak, $0.count + 1)) }
      }
      deinit { alive.withLock { $0.count -= 1 } }
    }
    @Sendable func count(from number: Int) -> Deferred<Int> {
      guard number < 2_000 else { return .unit { number } }
      let counted = Counted(alive)
      return Deferred<Int>.future { resolve in resolve { withExtendedLifetime(counted) { number + 1 } } }
        .flatMap { use in count(from: try use()) }
    }
    #expect(await result { count(from: 0) } == 2_000)
    #expect(alive.withLock { $0.peak } < 5 && alive.withLock { $0.count } == 0)
  }
}
