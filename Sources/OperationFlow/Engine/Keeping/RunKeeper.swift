import Foundation

/// Keeps what a run decides, so that another process can go on with it; a run without one compares a reference with `nil`.
///
/// What is taken under the run's lock has the order of the run's decisions. It must not block there, or call users' code.
package protocol RunKeeper: AnyObject, Sendable {
  var id: String { get }

  /// Whether work may have to wait until what has settled before it is safe.
  var holdsWorkBack: Bool { get }

  /// Whether claimed work may have to wait now, or has to look whether it was cancelled; asked outside all locks.
  var mayHoldBack: Bool { get }

  /// Decides under the run's lock whether claimed work has to wait; if so, `resume` is called later, once.
  func holdsBack(_ resume: @escaping @Sendable () -> Void) -> Bool

  /// Notes outside all locks that a step or an item is about to be performed, and may write.
  func willPerform(step: Int, item: Int?)

  /// Notes outside all locks, before the work starts, that an attempt at a step, an item or an undo begins.
  func willBegin(_ work: RunWork, attempt: Int, at date: Date)

  /// Encodes outside all locks what work leaves that settles, if the run notes it; that may turn a success into a failure.
  func encode(
    _ settlement: inout Settlement, _ output: (any Sendable)?, of source: FlowEvent.Source, _ ticket: WorkTicket,
    in engine: RunEngine
  ) -> (any KeptParts)?

  /// Encodes the same for work that leaves no more than what a step or an item wrote, or nothing if there is none.
  func encodeWrites(step: Int?, item: Int?) -> any KeptParts

  /// Returns what is wrong with a value that a group writes at its end; `nil` if it can be kept.
  func problem(keeping value: (any Sendable)?, named name: String) -> FlowError?

  /// Takes a settlement under the run's lock.
  func take(_ settlement: RunSettlement, _ parts: any KeptParts)

  /// Takes parts back whose settlement did not count.
  func takeBack(_ parts: any KeptParts)

  /// Takes under the run's lock what decided the end from outside the steps: an error, or what has cancelled it.
  func takeDecision(_ error: (any Error)?, _ cause: FlowReport.Cancellation, at date: Date, claimed: [RunWork])

  /// Takes nothing more, under the run's lock: the run is left to be resumed, and ends with this error for now.
  func leave(_ reason: FlowError)

  /// Writes, outside all locks, what was taken.
  func flush()

  /// Takes the end; `done` is called once it is kept, with the error that the run has failed with if it can't be.
  func end(
    _ outcome: FlowOutcome, at date: Date, warn: @escaping @Sendable (String) -> Void,
    done: @escaping @Sendable (FlowError?) -> Void)
}

/// The parts that a keeper has made of some work's results, outside the lock, to be taken under it.
package typealias KeptParts = AnyObject & Sendable
