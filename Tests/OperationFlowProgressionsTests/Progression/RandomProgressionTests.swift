import Dispatch
import TestSupport
import Testing

@testable import OperationFlowProgressions

/// Random progressions, run in every way, and compared with their plan.
@Suite(.long) struct RandomProgressionTests {
  /// A way to get from one step to the next.
  enum Kind: Int, CaseIterable, Sendable {
    case update, unit, immediate, later, mapped, chained, advance, failing
  }

  /// A progression that follows a plan.
  struct Planned: Progression {
    let plan: [Kind]
    var index = 0

    var result: Int? { index == plan.count ? index : nil }

    private var following: Planned { Planned(plan: plan, index: index + 1) }

    mutating func updateOrDeferNext() throws -> Deferred<Planned>? {
      let following = following
      switch plan[index] {
      case .update: self = following
      case .unit: return .unit { following }
      case .immediate: return .future { resolve in resolve { following } }
      case .later: return .future { resolve in DispatchQueue.global().async { resolve { following } } }
      case .mapped: return Deferred { 1 }.map { _ in following }
      case .chained: return Deferred { 1 }.on(.global()).flatMap { _ in Deferred { following }.map { $0 } }
      case .advance: return .future { resolve in Task { resolve { following } } }
      case .failing: throw TestError(name: "\(index)")
      }
      return nil
    }
  }

  private func outcome(_ body: () async throws -> Int) async -> String {
    do { return "\(try await body())" } catch { return "\(error)" }
  }

  @Test func `every way of running takes the same steps to the same end`() async {
    for seed in UInt64(0)..<300 {
      var random = SeededGenerator(seed: seed)
      let plan = (0..<random.below(30)).map { _ in
        random.oneIn(60) ? .failing : Kind.allCases[random.below(Kind.allCases.count - 1)]
      }
      let last = plan.firstIndex(of: .failing) ?? plan.count
      let expected = last < plan.count ? "\(TestError(name: "\(last)"))" : "\(last)"
      let start = Planned(plan: plan)

      #expect(await outcome { try await start.run() } == expected, "run(), seed \(seed)")
      var iterated: [Int] = []
      let iteration = await outcome {
        for try await step in start.steps { iterated.append(step.index) }
        return iterated.last ?? -1
      }
      #expect(iteration == expected && iterated == Array(0...last), "steps, seed \(seed)")
      let ways: [(String, Deferred<Int>, Noted<Int>)] = [
        onQueue(start, DispatchQueue(label: "serial")), onQueue(start, .global()),
        onPerformer(start, "at once", atOncePerformer),
        onPerformer(start, "global", { DispatchQueue.global().async(execute: $0) }),
      ]
      for (name, deferred, steps) in ways {
        #expect(await outcome { try await deferred.value } == expected, "\(name), seed \(seed)")
        #expect(steps.all == Array(0...last), "\(name), seed \(seed)")
      }
      // The rest is the same from any step that was reached.
      if let step = iterated.randomElement(using: &random) {
        let rest = await outcome { try await Planned.run(from: Planned(plan: plan, index: step)) }
        #expect(rest == expected, "run(from:), seed \(seed)")
      }
    }
  }

  private func onQueue(_ start: Planned, _ queue: DispatchQueue) -> (String, Deferred<Int>, Noted<Int>) {
    let steps = Noted<Int>()
    return (queue.label, start.deferred(queue: queue) { steps.add($0.index) > 0 }, steps)
  }

  private func onPerformer(
    _ start: Planned, _ name: String, _ performer: @escaping AsyncPerformer
  ) -> (String, Deferred<Int>, Noted<Int>) {
    let steps = Noted<Int>()
    return (name, start.deferred(performer: performer) { steps.add($0.index) > 0 }, steps)
  }
}
