import Dispatch
import OperationFlow
import OperationFlowProgressions

extension Benchmark {
  private static let stepCount = 100_000
  /// A higher number for steps that cost next to nothing, so that a round is long enough to be measured.
  private static let awaitCount = 2_000_000

  /// A progression of synchronous steps, compared with a serial queue that runs a block for each step.
  static let progressionOnQueue = Benchmark(
    name: "a progression's synchronous step on a queue", unitCount: stepCount, baseline: "DispatchQueue, serial",
    peers: [
      Peer("DispatchQueue, serial") {
        await onSerialQueue(blocks: stepCount)
      },
      Peer("deferred(queue:), updates", limit: 0.3) { await perform(Updates(left: stepCount)) },
      Peer("deferred(queue:), next() closures", limit: 0.3) { await perform(Closures(left: stepCount)) },
      Peer("deferred(queue:), futures that call back at once") { await perform(Futures(left: stepCount)) },
      Peer("run(), updates", limit: 0.3) { _ = try? await Updates(left: stepCount).run() },
      Peer("steps, updates") {
        do { for try await step in Updates(left: stepCount).steps { keep(step) } } catch {}
      },
    ])

  /// A progression of asynchronous steps that don't suspend, compared with a loop that awaits a function.
  static let progressionAsynchronous = Benchmark(
    name: "a progression's asynchronous step", unitCount: awaitCount, baseline: "await, in a loop",
    peers: [
      Peer("await, in a loop") {
        var left = awaitCount
        while left > 0 { try? await countDown(&left) }
      },
      Peer("run(), advance()", limit: 1.5) { _ = try? await Advances(left: awaitCount).run() },
      Peer("steps, advance()") {
        do { for try await step in Advances(left: awaitCount).steps { keep(step) } } catch {}
      },
    ])

  /// A progression of asynchronous steps that suspend, compared with a loop that awaits such a function.
  static let progressionSuspending = Benchmark(
    name: "a progression's asynchronous step that suspends", unitCount: stepCount, baseline: "await, in a loop",
    peers: [
      Peer("await, in a loop") {
        var left = stepCount
        while left > 0 { try? await yieldAndCountDown(&left) }
      },
      Peer("run(), advance()", limit: 1.5) { _ = try? await Yields(left: stepCount).run() },
    ])

  private static func perform<Step: Progression>(_ step: Step) async {
    await waiting { done in
      step.deferred(queue: DispatchQueue(label: "serial")).perform { _ in done() }
    }
  }
}

private protocol CountingDown: Progression where Result == Int {
  var left: Int { get }
}

extension CountingDown {
  var result: Int? { left == 0 ? 0 : nil }
}

private struct Updates: CountingDown {
  var left: Int

  mutating func updateOrDeferNext() throws -> Deferred<Updates>? {
    left -= 1
    return nil
  }
}

private struct Closures: CountingDown {
  let left: Int

  func next() -> Deferred<Closures> { .unit { Closures(left: left - 1) } }
}

private struct Futures: CountingDown {
  let left: Int

  func next() -> Deferred<Futures> { .future { resolve in resolve { Futures(left: left - 1) } } }
}

private struct Advances: CountingDown {
  var left: Int

  @inline(never)
  mutating func advance() async throws { left -= 1 }
}

private struct Yields: CountingDown {
  var left: Int

  mutating func advance() async throws {
    await Task.yield()
    left -= 1
  }
}

@inline(never)
private func countDown(_ number: inout Int) async throws { number -= 1 }

@inline(never)
private func yieldAndCountDown(_ number: inout Int) async throws {
  await Task.yield()
  number -= 1
}
