import Dispatch
import Foundation
import OperationFlow

/// Ctrl-C (SIGINT) and the request to end (SIGTERM): the first cancels a run, the next ends the process immediately.
package final class Interruption: @unchecked Sendable {
  // Invariant of the unchecked conformance: `received`, `run` and `isOver` are used under `lock` only.
  private let lock = NSLock()
  private var received: Int32?
  private var run: FlowRun?
  private var isOver = false
  private var sources: [any DispatchSourceSignal] = []
  private let queue = DispatchQueue(label: "flow-examples.signals")

  /// Catches the signals from now on.
  package init() {
    sources = [SIGINT, SIGTERM].map { number in
      #if canImport(Darwin)
        // Dispatch only watches the signal, so its default action has to be turned off.
        signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      // The source holds this object, which holds the source: signals are caught until the process ends.
      source.setEventHandler { self.receive(number) }
      source.activate()
      return source
    }
  }

  /// Cancels the run at the first signal, or now if it has already come.
  package func cancels(_ run: FlowRun) {
    let isInterrupted = lock.withLock {
      self.run = run
      return received != nil
    }
    if isInterrupted { run.cancel() }
  }

  /// The exit code of a process that was interrupted, once the run has ended; nil if no signal came before its end.
  ///
  /// From then on, a signal ends the process immediately.
  package func exitCode() -> Int32? {
    // A signal that has cancelled the run may not have said so yet.
    queue.sync {}
    return lock.withLock {
      isOver = true
      return received.map(Self.exitCode)
    }
  }

  /// The shells' number for a process that a signal has ended: 130 for Ctrl-C, 143 for SIGTERM.
  private static func exitCode(_ number: Int32) -> Int32 { 128 + number }

  private func receive(_ number: Int32) {
    let run: FlowRun? = lock.withLock {
      // Nothing is flushed or freed: a user who asks twice must not have to wait for what may be stuck.
      if received != nil || isOver { _exit(Self.exitCode(number)) }
      received = number
      return self.run
    }
    run?.cancel()
    let note = (Console.isTerminal ? "\n" : "") + "flow-examples: stopping; once more ends at once\n"
    // Without flushing standard output first, because it may be stuck as well.
    try? FileHandle.standardError.write(contentsOf: Data(note.utf8))
  }
}
