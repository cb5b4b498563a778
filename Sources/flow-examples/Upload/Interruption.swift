import Foundation
import OperationFlow

/// Handles Ctrl-C (SIGINT) and SIGTERM: the first signal cancels a run, the next ends the process immediately.
package final class Interruption: @unchecked Sendable {
  // Invariant of the unchecked conformance: `received` is used under `lock` only.
  private let lock = NSLock()
  private var received: FlowProcessSignal?

  package init() {}

  /// Cancels the run at the first signal.
  package func cancels(_ run: FlowRun) {
    run.cancel(onSignals: .interrupt, .terminate) { signal in
      self.lock.withLock { self.received = signal }
      let note = (Console.isTerminal ? "\n" : "") + "flow-examples: stopping; once more ends at once\n"
      // Without flushing standard output first, because it may be stuck.
      try? FileHandle.standardError.write(contentsOf: Data(note.utf8))
    }
  }

  /// The exit code that shells use for a process that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM; nil without
  /// one.
  package var exitCode: Int32? { lock.withLock { received.map { 128 + $0.number } } }
}
