import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// Supervised runs in a store whose calls fail now and then, for a moment.
@Suite(.watched, .long) struct RandomSupervisorTests {
  private static let number: FlowSignal<Int> = "number"

  /// The seconds of a supervisor's clock after which its store fails no more.
  private static let troubleTime = 500
  /// The seconds until the test fails.
  ///
  /// A supervisor retries after five minutes at the latest.
  private static let patience = 10_000

  @Test func `runs of a store that fails now and then end as they would otherwise, and are reported`() async {
    await forEachSeed(count: 20, workers: 2) { try await Self.run($0) }
  }

  private static func run(_ seed: UInt64) async throws -> String? {
    let (moments, clock, ended, undone) = (Moments(seed: seed), ManualClock(), Locked([String: Int]()), Tally())
    let store = HookedStore { $0.calling = { _ in try moments.mayFail() } }
    let flow = Flow("Order").clock(clock)
      .add("reserve", .undo { _ in undone.add() }, .writes(FlowKey<Int>("a"))) { $0[FlowKey<Int>("a")] = 1 }
      .wait(.seconds(20))
      .add("use", .reads(FlowKey<Int>("a"))) { _ = try $0.require(FlowKey<Int>("a")) }
      .wait(for: number)
      .add("end") { _ = try $0.require(number.key) }
    let ids = (1...6).map { "\($0)" }
    let problems = Journal<String>()
    // Two supervisors, one after the other, as if the process had ended in between.
    var sent: Set<String> = []
    for part in 1...2 {
      let supervisor = FlowSupervisor(store, flows: [flow], atMost: 2, clock: clock) { id, outcome in
        if !outcome.isSuccess { problems.append("\(id): \(outcome)") }
        ended.withLock { $0[id, default: 0] += 1 }
      }
      let supervising = Task {
        while !Task.isCancelled { try? await supervisor.run() }
      }
      for id in ids where part == 1 { await untilDone { try await supervisor.begin(id, of: "Order") } }
      for second in 1...patience {
        if part == 1, second == 40 { break }
        if ended.withLock({ $0.count }) == ids.count { break }
        if second == troubleTime { moments.stop() }
        if second == patience { problems.append("\(supervisor.status), sent: \(sent)") }
        if let id = ids.first(where: { !sent.contains($0) }), second % 5 == 0 {
          await untilDone { try await store.send(number, 1, to: id, messageID: id, clock: clock) }
          sent.insert(id)
        }
        let before = supervisor.roundCount
        await clock.advance(by: .seconds(1))
        // Without this, the supervisor would start its next round only after a quarter of a second of the system's
        // time.
        supervisor.wakeUp()
        while supervisor.roundCount == before { await Task.yield() }
      }
      supervising.cancel()
      await supervising.value
    }
    if undone.count > 0 { return "undone: \(undone.count)" }
    if let problem = problems.entries.first { return problem }
    let counts = ended.withLock { $0 }
    return ids.allSatisfy { counts[$0, default: 0] > 0 } ? nil : "\(counts), \(store.memory.journals.keys)"
  }
}

/// The failures of a store, for a moment each, at random calls.
private final class Moments: Sendable {
  struct Moment: Error {}

  private let generator: Locked<SplitMix?>

  init(seed: UInt64) { generator = Locked(SplitMix(seed: seed)) }

  func mayFail() throws {
    if generator.withLock({ ($0?.next() ?? 1) % 16 }) == 0 { throw Moment() }
  }

  /// Stops all failures.
  func stop() { generator.withLock { $0 = nil } }
}

/// Repeats a call until it succeeds, or its error shows that it isn't needed any more.
///
/// A supervisor can find a run even if the call that began the run failed. A run can end even if its sender got an
/// error because no one could be notified.
private func untilDone(_ body: () async throws -> Void) async {
  while true {
    do { return try await body() } catch let error as FlowError
      where [.runInUse, .runNotWaiting].contains(error.code)
    { return } catch { await Task.yield() }
  }
}
