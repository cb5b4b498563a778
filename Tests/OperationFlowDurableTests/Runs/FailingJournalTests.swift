import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Runs whose journal can't be written any longer, and their calls of the journal when they resume.
@Suite(.watched) struct FailingJournalTests {
  /// Returns a store that accepts a number of entries after the first, besides those about attempts that begin.
  private func store(taking count: Int, _ change: (inout HookedStore.Hooks) -> Void = { _ in }) -> HookedStore {
    let left = Locked(count + 1)
    return HookedStore { hooks in
      hooks.appending = { entry in
        if entry.first == JournalEntry.Kind.begins.rawValue { return }
        let isFull = left.withLock { left in
          defer { left -= 1 }
          return left <= 0
        }
        if isFull { throw TestError(name: "full") }
      }
      change(&hooks)
    }
  }

  private func flow(_ ran: Journal<String>) -> Flow {
    Flow("Order")
      .add("reserve", .undo { _ in ran.append("undo reserve") }) { _ in ran.append("reserve") }
      .add("charge", .undo { _ in ran.append("undo charge") }) { _ in ran.append("charge") }
      .add("ship") { _ in throw TestError(name: "ship") }
      .always { $0.add("clean") { _ in ran.append("clean") } }
  }

  @Test(arguments: [FlowDurability.operatingSystem, .grouped(), .everySettlement])
  func `what is left when it fails at the end is done once, by the resume`(durability: FlowDurability) async throws {
    let ran = Journal<String>()
    // The entries of the three steps are stored, and the entry of the first undo isn't.
    let store = store(taking: 3)
    let outcome = await flow(ran).run(id: "a", in: store, durability: durability)
    // The run isn't over, so its outcome isn't its earlier failure.
    let error = try #require(outcome.error as? FlowError)
    #expect(error.code == .storeFailed && error.problem.contains("full") && error.remedy.contains("resumes there"))
    #expect(
      outcome.failure?.step == nil && outcome.report.earlierFailure?.error as? TestError == TestError(name: "ship"))
    let summary = outcome.report.summary
    #expect(summary.contains("full") && summary.contains("Before that, it had failed in [ship]"), "\(summary)")
    #expect(ran.entries == ["reserve", "charge", "undo charge"])
    #expect(outcome.report.steps.map(\.end).prefix(3) == [.succeeded, .succeeded, .failed])
    #expect(try await store.memory.unfinished().map(\.id) == ["a"])
    let again = await flow(ran).run(id: "a", in: store.memory)
    #expect(again.error.map { "\($0)".contains("ship") } == true)
    #expect(ran.entries.dropFirst(3) == ["undo charge", "undo reserve", "clean"])
  }

  @Test(arguments: [FlowDurability.operatingSystem, .grouped(), .everySettlement])
  func `nothing starts once an entry could not be written`(durability: FlowDurability) async {
    let ran = Journal<Int>()
    let (flow, store) = (Flow("Full"), store(taking: 1))
    for number in 1...4 { flow.add("\(number)") { _ in ran.append(number) } }
    let outcome = await flow.run(id: "a", in: store, durability: durability)
    #expect(outcome.code == .storeFailed && (outcome.error as? FlowError)?.problem.contains("full") == true)
    #expect(ran.entries == [1, 2] && store.memory.journals["a"]?.withoutBegins.count == 2)
  }

  @Test func `nothing is undone if the journal fails, for the run can be resumed`() async throws {
    let (store, ran, undone) = (store(taking: 1), Journal<String>(), Tally())
    let flow = Flow("Full").add("reserve", .undo { _ in undone.add() }) { _ in ran.append("reserve") }
      .add("ship") { _ in ran.append("ship") }.add("thank") { _ in ran.append("thank") }
    #expect(await flow.run(id: "a", in: store).code == .storeFailed && undone.count == 0)
    #expect(await flow.run(id: "a", in: store.memory).isSuccess)
    #expect(undone.count == 0 && ran.entries.count { $0 == "reserve" } == 1)
  }

  @Test func `a run may go on without its journal, with a warning`() async {
    let (flow, store, ran) = (Flow("Full"), store(taking: 1), Tally())
    for number in 1...4 { flow.add("\(number)") { _ in ran.add() } }
    let outcome = await flow.run(id: "a", in: store, durability: .grouped().continuingWithoutJournal())
    #expect(
      outcome.isSuccess && ran.count == 4
        && outcome.report.lines.contains { $0.contains("warning: ") && $0.contains("full") })
    // Work that isn't in the journal is repeated.
    #expect(await flow.run(id: "a", in: store.memory).isSuccess && ran.count == 7)
  }

  /// The entry of the branch's step can't be written or synchronized, and the other branch is cancelled.
  @Test(arguments: [FlowDurability.operatingSystem, .everySettlement])
  func `a cancel that doesn't return keeps the run from its end by no means, nor what waits for the journal`(
    durability: FlowDurability
  ) async {
    let (isWaiting, isCalled, mayReturn, ran) = (Signal(), Signal(), Gate(), Tally())
    let stuck = StuckOperation(isWaiting) {
      isCalled.fire()
      mayReturn.pass()
    }
    let isFull = durability == .operatingSystem
    let store = store(taking: isFull ? 1 : .max - 1) { hooks in
      hooks.synchronizing = { _ in if !isFull, isWaiting.isOn { throw TestError(name: "lost") } }
    }
    let flow = Flow("Stuck").parallel("both") { step in
      step.branch("left") { $0.add(operation: stuck) }
      step.branch("right") { $0.add("first") { _ async in await isWaiting.wait() }.add("second") { _ in ran.add() } }
    }
    #expect(await flow.run(id: "a", in: store, durability: durability).code == .storeFailed && ran.count == 0)
    await isCalled.wait()
    mayReturn.open()
  }

  @Test func `a run may go on without its journal from the start of its resume`() async throws {
    let flow = Flow("Resume").add("one") { _ in }.add("two") { _ in }
    let journals = try await flow.cut(settled: 1).journals
    let store = {
      HookedStore(journals) { hooks in hooks.synchronizing = { _ in throw TestError(name: "lost") } }
    }
    let refused = await flow.run(id: "a", in: store())
    #expect((refused.error as? FlowError)?.code == .storeFailed)
    let outcome = await flow.run(id: "a", in: store(), durability: .grouped().continuingWithoutJournal())
    let warnings = outcome.report.events.compactMap { if case .warned(let text) = $0.kind { text } else { nil } }
    #expect(outcome.isSuccess && warnings.count == 1 && warnings.first?.contains("lost") == true, "\(warnings)")
  }

  @Test func `a run may go on without its journal from its first entry`() async throws {
    let flow = Flow("Begins").add("one") { _ in }
    let store = { HookedStore { hooks in hooks.synchronizing = { _ in throw TestError(name: "lost") } } }
    #expect((await flow.run(id: "a", in: store()).error as? FlowError)?.code == .storeFailed)
    let outcome = await flow.run(id: "a", in: store(), durability: .grouped().continuingWithoutJournal())
    #expect(outcome.isSuccess && outcome.report.summary.contains("lost"))
  }

  @Test(arguments: [(FlowDurability.operatingSystem, 0), (.grouped(), 1), (.everySettlement, 1)])
  func `a resume builds on nothing that a power failure could take`(durability: FlowDurability, count: Int) async throws
  {
    let make = { (began: @escaping @Sendable () -> Void) in
      Flow("Resume").add("one") { _ in }.add("two") { _ in began() }
    }
    let (synchronized, before) = (Tally(), Journal<Int>())
    let store = HookedStore(try await make({}).cut(settled: 1).journals) { hooks in
      hooks.synchronizing = { _ in synchronized.add() }
    }
    #expect(await make({ before.append(synchronized.count) }).run(id: "a", in: store, durability: durability).isSuccess)
    #expect(before.entries == [count])
  }

  @Test func `a run that was resumed says when nothing happens`() async throws {
    let (clock, isWaiting, mayEnd) = (ManualClock(), Signal(), Signal())
    let make = { (wait: Bool) in
      Flow("Quiet").clock(clock).quietWarning(after: .seconds(30)).add("one") { _ in }.add("hangs") { _ async in
        guard wait else { return }
        await isWaiting.fire(thenAwait: mayEnd)
      }
    }
    let (store, warned) = (try await make(false).cut(settled: 1), Signal())
    let flow = make(true).observe { if case .warned = $0.kind { warned.fire() } }
    async let outcome = flow.run(id: "a", in: store)
    await isWaiting.wait()
    await clock.untilSleeping()
    await clock.advance(by: .seconds(31))
    await warned.wait()
    mayEnd.fire()
    #expect(await outcome.isSuccess)
  }
}

/// Runs asynchronously, and calls a closure in its `cancel()`.
private final class StuckOperation: FlowOperation, @unchecked Sendable {
  // Invariant: its properties never change.
  private let isWaiting: Signal
  private let whenCancelled: @Sendable () -> Void

  init(_ isWaiting: Signal, whenCancelled: @escaping @Sendable () -> Void) {
    (self.isWaiting, self.whenCancelled) = (isWaiting, whenCancelled)
  }

  override func mainLogic() {
    startWithAsynchronous()
    isWaiting.fire()
  }

  override func cancel() { whenCancelled() }
}
