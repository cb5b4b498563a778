import Foundation
import OperationFlow
import OperationFlowObservation
import TestSupport
import Testing

@Suite(.watched) struct ProgressTests {
  private let watch = ProgressWatch()

  /// Returns a step that checks the run's progress.
  private func at(
    _ fraction: Double, _ sourceLocation: SourceLocation = #_sourceLocation
  ) -> @Sendable (FlowContext) -> Void {
    let watch = watch
    return { _ in
      #expect(abs(watch.fraction - fraction) < 0.000_01, "\(watch.fraction)", sourceLocation: sourceLocation)
    }
  }

  /// Cancels a run when it is freed: between the end of its step and the next.
  private final class LastWordOp: FlowOperation, @unchecked Sendable {
    private let run: Locked<FlowRun?>
    init(_ run: Locked<FlowRun?>) { self.run = run }
    override func mainLogic() { finishSuccessfully() }
    deinit { run.withLock { $0 }?.cancel() }
  }

  @Test func `if the progress is held, no step starts once the run is cancelled after the last`() async {
    let (handle, mayBegin) = (Locked<FlowRun?>(nil), Signal())
    let run = Flow().add("wait") { _ in await mayBegin.wait() }.add(LastWordOp(handle)).add("next") { _ in fail("ran") }
      .start()
    let progress = run.progress
    handle.withLock { $0 = run }
    mayBegin.fire()
    let outcome = await run.outcome
    handle.withLock { $0 = nil }
    #expect(outcome.isCancelled && !outcome.report.lines.contains("[next] WillStart"))
    #expect(progress.fractionCompleted < 1)
  }

  @Test func `steps count by their weight, 1 unless said otherwise`() async {
    let flow = Flow()
      .add("a", run: at(0)).add("b", .weight(3), run: at(0.1)).add("c", run: at(0.4)).add("d", .weight(5), run: at(0.5))
    #expect(await watch.run(flow).isSuccess)
    #expect(watch.fraction == 1)
  }

  @Test func `a weight of 0 and below counts for nothing, and all of them for the end`() async {
    let flow = Flow().add("a", .weight(0), run: at(0)).add("b", run: at(0)).add("c", .weight(-5), run: at(1))
    #expect(await watch.run(flow).isSuccess)
    let none = await ProgressWatch().run(Flow().add("a", .weight(0)) { _ in })
    #expect(none.isSuccess)
  }

  @Test func `the items of a range or an array that is passed are counted too, although they are pulled`() async {
    let watch = watch
    let flow = Flow().forEach(in: 0..<4, width: 1) { item, _ in
      #expect(abs(watch.fraction - Double(item) / 8) < 0.000_01, "\(item): \(watch.fraction)")
    }.forEach(in: ["a", "b"], width: 1) { item, _ in
      #expect(abs(watch.fraction - (item == "a" ? 0.5 : 0.75)) < 0.000_01, "\(item): \(watch.fraction)")
    }
    #expect(await watch.run(flow).isSuccess)
    #expect(watch.fraction == 1)
  }

  @Test func `a group's items are counted`() async {
    let watch = watch
    let flow = Flow().add("before") { _ in }
      .forEach(in: 0..<0) { _, _ in }
      .set("in", to: [0, 1, 2, 3])
      .forEach("in" as FlowKey<[Int]>, width: 1) { item, _ in
        #expect(abs(watch.fraction - (0.5 + Double(item) / 16)) < 0.000_01)
      }
      .add("after", run: at(0.75))
    #expect(await watch.run(flow).isSuccess)
    #expect(watch.fraction == 1)
  }

  @Test func `an operation and a closure report their own fraction`() async {
    let watch = watch
    let flow = Flow()
      .add("closure") { context in
        context.reportProgress(0.5)
        #expect(abs(watch.fraction - 0.25) < 0.000_01)
        context.reportProgress(7)
        #expect(abs(watch.fraction - 0.5) < 0.000_01)
        context.reportProgress(.nan)
        context.reportProgress(-1)
        #expect(abs(watch.fraction - 0.5) < 0.000_01)
      }
      .step { operation in
        #expect(abs(watch.fraction - 0.5) < 0.000_01)
        operation.reportProgress(0.5)
        #expect(abs(watch.fraction - 0.75) < 0.000_01)
        operation.finishSuccessfully()
      }
    #expect(await watch.run(flow).isSuccess)
    #expect(watch.fraction == 1)
  }

  @Test func `items report their own fractions, which add up`() async {
    let watch = watch
    let meeting = Meeting(size: 2)
    let isReported = Meeting(size: 2)
    let flow = Flow().set("in", to: [0, 1]).forEach("in" as FlowKey<[Int]>, width: 2) { _, context in
      await meeting.attend()
      context.reportProgress(0.5)
      await isReported.attend()
      // The other item may have ended already.
      #expect((0.499_99...0.750_01).contains(watch.fraction))
    }
    #expect(await watch.run(flow).isSuccess)
  }

  @Test(arguments: ["short", "long", "none"]) func `it is 1 at the end whichever branch is taken`(value: String) async {
    let flow = Flow().set("target", to: value)
      .cases(on: "target", .weight(4)) {
        $0.when("short") { $0.add("a") { _ in } }
        $0.when("long") { long in
          for _ in 0..<10 { long.add("b") { _ in } }
          long.cases(on: "target") { $0.otherwise { $0.add("c") { _ in } } }
        }
      }
      .add("after", run: at(0.8))
    #expect(await watch.run(flow).isSuccess)
    #expect(watch.fraction == 1)
  }

  @Test func `it is 1 at the end of a flow that ends early, is empty, or is asked late`() async {
    let early = Flow().add("a") { _ in }.cases(on: "target") { $0.when("A") { $0.addNothing() } }.add("b") { _ in }
      .start()
    #expect(await early.outcome.isSuccess)
    #expect(early.progress.fractionCompleted == 1)
    let empty = Flow().start()
    #expect(await empty.outcome.isSuccess)
    #expect(empty.progress.fractionCompleted == 1)
  }

  @Test func `after a failure it stays where it was`() async {
    let flow = Flow().add("a") { _ in }.add("b") { _ in throw TestError() }.add("c") { _ in }.add("d") { _ in }
    #expect(await watch.run(flow).error is TestError)
    #expect(abs(watch.fraction - 0.25) < 0.000_01)
  }

  @Test func `it never goes backwards`() async {
    for seed in 0..<30 {
      let watch = ProgressWatch()
      var random = SeededGenerator(seed: UInt64(seed))
      #expect(await watch.run(mixed(&random, depth: 0)).isSuccess)
      #expect(zip(watch.samples, watch.samples.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed): \(watch.samples)")
      #expect(watch.samples.allSatisfy { $0 <= 1 })
      #expect(watch.fraction == 1)
    }
  }

  /// Returns a flow of all kinds of steps.
  private func mixed(_ random: inout SeededGenerator, depth: Int) -> Flow {
    let flow = Flow("mixed").set("target", to: "A").set("in", to: Array(0..<5))
    for _ in 0...random.below(5) {
      let weight = random.oneIn(3) ? random.below(6) : 1
      switch random.below(depth < 2 ? 6 : 4) {
      case 0:
        flow.add("report", .weight(weight)) { context in
          for part in 1..<5 { context.reportProgress(Double(part % 4) / 4) }
        }
      case 1: flow.add(LaterOp(), .weight(weight))
      case 2:
        flow.forEach("in" as FlowKey<[Int]>, width: 2, .weight(weight)) { _, context in
          context.reportProgress(0.7)
          await Task.yield()
        }
      case 3:
        flow.forEach(in: AsyncStream(unfolding: limited(7)), width: 2) { _, context in context.reportProgress(0.4) }
      case 4: flow.add(flow: mixed(&random, depth: depth + 1), .weight(weight))
      default:
        let inner = mixed(&random, depth: depth + 1)
        flow.cases(on: "target") { $0.when("A") { $0.add(flow: inner) } }
      }
    }
    return flow
  }

  private func limited(_ count: Int) -> @Sendable () async -> Int? {
    let left = Locked(count)
    return {
      await Task.yield()
      return left.withLock { left in
        left -= 1
        return left < 0 ? nil : left
      }
    }
  }
}
