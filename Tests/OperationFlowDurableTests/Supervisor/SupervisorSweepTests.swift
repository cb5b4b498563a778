import Foundation
import OperationFlowTesting
import TestSupport
import Testing

@testable import OperationFlow
@testable import OperationFlowDurable

/// A supervisor whose store fails at each of its calls in turn.
@Suite(.watched, .long) struct SupervisorSweepTests {
  private static let number: FlowSignal<Int> = "number"
  /// The seconds of the supervisor's clock after which the store fails no more, and those until the test fails.
  private static let (troubleTime, patience) = (100, 2_000)

  @Test(arguments: FailingCalls.Manner.allCases)
  func `a run ends as it would otherwise, and is reported, whichever call of the store fails`(
    _ manner: FailingCalls.Manner
  ) async throws {
    for first in 1...60 {
      if let complaint = await Self.complaint(FailingCalls(from: first, manner)) {
        Issue.record("from call \(first) \(manner): \(complaint)")
      }
    }
  }

  private static func complaint(_ calls: FailingCalls) async -> String? {
    let (clock, ran, undone, outcomes) = (ManualClock(), Journal<String>(), Tally(), Journal<FlowOutcome>())
    let store = HookedStore { $0.calling = calls.check }
    let id = "order \(UUID())"
    let flow = Flow("Order").clock(clock)
      .add("reserve", .undo { _ in undone.add() }) { ran.append("reserve \($0.attempt)") }
      .wait(.seconds(20))
      .wait(for: number)
      .add("ship") { ran.append("ship \($0.attempt)") }
    let supervisor = FlowSupervisor(store, flows: [flow], clock: clock) { outcomes.append($1) }
    let supervising = Task {
      while !Task.isCancelled { try? await supervisor.run() }
    }
    var errors: [any Error] = []
    await untilDone(calls, &errors) { try await supervisor.begin(id, of: "Order") }
    for second in 1... {
      if !outcomes.entries.isEmpty, supervisor.status.runningCount == 0 { break }
      if second == patience { break }
      if second == troubleTime { calls.stop() }
      if second == 5 {
        await untilDone(calls, &errors) { try await store.send(number, 7, to: id, messageID: "m", clock: clock) }
      }
      let before = supervisor.roundCount
      await clock.advance(by: .seconds(1))
      supervisor.wakeUp()
      // While the store can't be opened, there are no rounds.
      for _ in 0..<200 where supervisor.roundCount == before { await Task.yield() }
    }
    supervising.cancel()
    await supervising.value
    if outcomes.entries.count != 1 { return "\(outcomes.entries.count) ends were reported: \(supervisor.status)" }
    if outcomes.entries.first?.isSuccess != true { return "\(outcomes.entries)" }
    if ran.entries.last != "ship 1" || undone.count > 0 { return "\(ran.entries), \(undone.count) undone" }
    // The entry about the end of the first step may be lost, but not both.
    if ran.entries.count > 3 || !ran.entries.allSatisfy({ $0.hasSuffix(" 1") }) { return "\(ran.entries)" }
    if store.openCount != 0 { return "\(store.openCount) journals are open" }
    if let error = errors.first(where: { ($0 as? FlowError)?.remedy.isEmpty ?? true }) { return "no remedy: \(error)" }
    return nil
  }

  /// Repeats a call until it succeeds, or until its error shows that it isn't needed any more.
  private static func untilDone(
    _ calls: FailingCalls, _ errors: inout [any Error], _ body: () async throws -> Void
  ) async {
    while true {
      do { return try await body() } catch {
        errors.append(error)
        if let code = (error as? FlowError)?.code, [.runInUse, .runNotWaiting].contains(code) { return }
        if errors.count % 20 == 0 { calls.stop() }
        await Task.yield()
      }
    }
  }
}
