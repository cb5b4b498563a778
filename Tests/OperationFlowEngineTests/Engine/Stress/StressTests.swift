import Foundation
import TestSupport
import Testing

@testable import OperationFlow

/// Runs random flows that are cancelled, paused and finished from many threads.
@Suite(.heavy) struct StressTests {
  /// The threads that finish waiting work.
  private let crew = Crew(size: 2)
  /// The threads that cancel, pause and resume.
  private let controllers = Crew(size: 3)
  private let finished = Tally()
  private let freed = Tally()

  @Test func `cancelled at any moment, a flow ends once, agrees with its record, and is freed`() async {
    let (finished, freed, begun) = (finished, freed, Tally())
    let areRight = await forEachSeed(count: 1_000, workers: 6) { seed in
      begun.add()
      return await stress(seed)
    }
    guard areRight else { return }
    await SuiteWatch.shared.watch("the calls of the block for the end") { await finished.reach(begun.count) }
    await SuiteWatch.shared.watch("the freeing of what the flows captured") { await freed.reach(begun.count) }
    await MainActor.run {}
    #expect(finished.count == begun.count)
  }

  /// Runs the flow of a seed, and cancels, pauses and resumes it; returns a complaint, or `nil`.
  private func stress(_ seed: UInt64) async -> String? {
    var random = SeededGenerator(seed: seed)
    let (probe, isFreed, isCancelled) = (StressProbe(), freed, !random.oneIn(3))
    var script = StressFlow(
      random: SeededGenerator(seed: random.next()), crew: crew, probe: probe, token: Token { isFreed.add() },
      mayWait: isCancelled)
    let flow = script.build()
    flow.setDidFinishBlock { [finished] _ in
      probe.finish()
      finished.add()
    }
    watch(flow, &random, cancels: isCancelled)
    // This call may happen before the start, or in the first moment of the run.
    if isCancelled, random.oneIn(4) { controllers.give { [weak flow] in flow?.cancel() } }
    let run = flow.start()
    control(run, &random, cancels: isCancelled)
    async let other = run.outcome
    let outcome = await run.outcome
    probe.end()
    var complaint = await Self.agree(outcome, other) ? RecordCheck(outcome).complaint : "it has two outcomes"
    if let open = script.operations.first(where: { !$0.isFinished }) { complaint = "\(open) has not finished" }
    if outcome.isCancelled && !isCancelled { complaint = "it is cancelled by nobody" }
    run.cancel()
    if let known = run.currentOutcome, !Self.agree(outcome, known) { complaint = "its outcome changes" }
    let found = probe.complaints + [complaint].compactMap(\.self)
    return found.isEmpty ? nil : (found + outcome.report.lines).joined(separator: "\n")
  }

  private static func agree(_ one: FlowOutcome, _ other: FlowOutcome) -> Bool {
    (one.isSuccess, one.isCancelled) == (other.isSuccess, other.isCancelled)
  }

  /// Cancels or briefly pauses the run at one of its events, in the run's own threads.
  private func watch(_ flow: Flow, _ random: inout SeededGenerator, cancels: Bool) {
    guard random.oneIn(3) else { return }
    let (count, moment, pauses) = (Locked(0), 1 + random.below(20), !cancels || random.oneIn(3))
    flow.observe { [weak flow, crew] _ in
      let index = count.withLock { count in
        count += 1
        return count
      }
      guard index == moment, let run = flow?.run else { return }
      if pauses {
        run.pause()
        crew.give { run.resume() }
      } else {
        run.cancel()
      }
    }
  }

  /// Pauses and resumes the run from other threads, and cancels it if it may wait for ever.
  private func control(_ run: FlowRun, _ random: inout SeededGenerator, cancels: Bool) {
    for _ in 0..<random.below(3) {
      let delay = random.below(1_000)
      controllers.give {
        Self.spin(delay)
        run.pause()
        Self.spin(delay)
        run.resume()
      }
    }
    guard cancels else { return }
    for _ in 0...random.below(3) {
      let delay = random.below(random.oneIn(3) ? 20_000 : 1_000)
      controllers.give {
        Self.spin(delay)
        run.cancel()
      }
    }
  }

  /// Does some work, so that the next call happens at another moment.
  private static func spin(_ count: Int) {
    for _ in 0..<count { _ = Thread.current }
  }
}
