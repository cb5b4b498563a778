import Foundation
import OperationFlow
import TestSupport
import Testing

/// Runs that signals of the process cancel; nothing else in this process uses these signals.
@Suite(.watched, .serialized) struct ProcessSignalTests {
  /// Returns the bytes of the process's handler for a signal, which are the first of the system's structure.
  private static func action(_ number: Int32) -> [UInt8] {
    var current = sigaction()
    _ = sigaction(number, nil, &current)
    return withUnsafeBytes(of: &current) { Array($0.prefix(MemoryLayout<UInt>.size)) }
  }

  @Test func `the first one cancels every run that waits for it, and the next has its former effect during the undos`()
    async throws
  {
    signal(SIGUSR1, SIG_IGN)
    let before = Self.action(SIGUSR1)
    let (running, undoing, mayUndo, notices) = (Tally(), Tally(), Signal(), Locked([FlowProcessSignal]()))
    let runs = (0..<2).map { number in
      Flow("run \(number)")
        .add("charge", .undo { _ async in await undoing.add(thenAwait: mayUndo) }) { _ in }
        .add("wait") { _ async in await running.addUntilCancelled() }
        .start()
        .cancel(onSignals: .user1, .user2) { signal in notices.withLock { $0.append(signal) } }
    }
    let other = Flow("other").add("wait") { _ async in await running.addUntilCancelled() }.start()
    await running.reach(3)
    #expect(Self.action(SIGUSR1) != before)
    kill(getpid(), SIGUSR1)
    await undoing.reach(2)
    #expect(Self.action(SIGUSR1) == before)
    kill(getpid(), SIGUSR1)
    mayUndo.fire()
    for run in runs {
      let outcome = await run.outcome
      #expect(outcome.isCancelled && outcome.report.cancellation == .signal(.user1) && outcome.report.undos.count == 1)
      #expect(outcome.report.summary.contains("isSuccess: false, cancelled by SIGUSR1"))
      #expect(outcome.report.lines.contains("[\(outcome.report.flowName)] received SIGUSR1"))
    }
    #expect(notices.withLock { $0 } == [.user1, .user1] && other.currentOutcome == nil)
    other.cancel()
    #expect(await other.outcome.isCancelled)
  }

  @Test func `signals have their former effect once the run has ended, until another run waits for them`() async {
    signal(SIGUSR2, SIG_IGN)
    let before = Self.action(SIGUSR2)
    for round in 0..<50 {
      let (running, mayEnd, received) = (Signal(), Signal(), Tally())
      let run = Flow("run").add("wait") { _ async in await running.fire(thenAwait: mayEnd) }.start()
      run.cancel(onSignals: .user2) { _ in received.add() }.cancel(onSignals: .user2) { _ in received.add() }
      await running.wait()
      #expect(Self.action(SIGUSR2) != before)
      if round % 2 == 0 {
        kill(getpid(), SIGUSR2)
        await received.reach(2)
      }
      mayEnd.fire()
      _ = await run.outcome
      #expect(Self.action(SIGUSR2) == before)
      run.cancel(onSignals: .user2)
      #expect(Self.action(SIGUSR2) == before)
    }
  }

  @Test func `signals are compared by their numbers, and have the system's names`() {
    #expect(FlowProcessSignal.interrupt.number == SIGINT && "\(FlowProcessSignal.terminate)" == "SIGTERM")
    #expect(Set([FlowProcessSignal.hangUp, .quit, .hangUp]).count == 2)
  }
}
