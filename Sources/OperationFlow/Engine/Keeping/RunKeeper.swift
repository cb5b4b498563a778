import Foundation

/// Keeps what a run decides, so that another process can go on with it; a run without one compares a reference with `nil`.
///
/// What is taken under the run's lock has the order of the run's decisions. It must not block there, or call users' code.
package protocol RunKeeper: AnyObject, Sendable {
  /// What identifies the run.
  var id: String { get }

  /// Whether work may have to wait until what has settled before it is safe.
  var holdsWorkBack: Bool { get }

  /// Whether claimed work may have to wait now, or has to look whether it was cancelled; asked outside all locks.
  var mayHoldBack: Bool { get }

  /// Decides under the run's lock whether claimed work has to wait; if so, `resume` is called later, once.
  func holdsBack(_ resume: @escaping @Sendable () -> Void) -> Bool

  /// Notes outside all locks that a step or an item is about to be performed, and may write.
  func willPerform(step: Int, item: Int?)

  /// Encodes outside all locks what work leaves that settles; that may turn a success into a failure.
  func encode(_ end: inout KeptEnd) -> any KeptParts

  /// Encodes the same for work that leaves no more than what a step or an item wrote, or nothing if there is none.
  func encodeWrites(step: Int?, item: Int?) -> any KeptParts

  /// Returns what is wrong with a value that a group writes at its end; `nil` if it can be kept.
  func problem(keeping value: (any Sendable)?, named name: String) -> FlowError?

  /// Takes a settlement under the run's lock.
  func take(_ settlement: KeptSettlement, _ parts: any KeptParts)

  /// Takes parts back whose settlement did not count.
  func takeBack(_ parts: any KeptParts)

  /// Takes under the run's lock what decided the end from outside the steps.
  func take(_ decision: KeptDecision)

  /// Writes, outside all locks, what was taken.
  func flush()

  /// Takes the end; `done` is called once it is kept, with the error that the run has failed with if it can't be.
  func end(
    _ outcome: FlowOutcome, at date: Date, warn: @escaping @Sendable (String) -> Void,
    done: @escaping @Sendable (FlowError?) -> Void)
}

/// The parts that a keeper has made of some work's results, outside the lock, to be taken under it.
package typealias KeptParts = AnyObject & Sendable

/// A piece of work that can be found again in another process.
package struct KeptWork: Sendable, Hashable {
  package let work: RunWork
  /// True if the work hands on an item's result.
  package let isHanding: Bool

  package init(_ work: RunWork, isHanding: Bool = false) { (self.work, self.isHanding) = (work, isHanding) }
}

/// The result of kept work, without values.
package enum KeptResult: Sendable {
  case succeeded
  /// With the delay before the next attempt; `nil` if none follows.
  case failed(any Error, retriedAfter: Duration?)
  case cancelled
  case skipped
  /// The place of the branch among those of its step; `nil` if none matched.
  case chosen(Int?)
  case entered
  /// How many items there are, or `nil` if they come one after the other, and how many are at work at once.
  case planned(Int?, width: Int)
  /// The items of a sequence have come to an end, after this many.
  case pulledAll(Int)
}

/// The end of a piece of work, as the run has decided it.
package struct KeptSettlement: Sendable {
  package var date: Date
  package var work: KeptWork
  package var attempt: Int
  package var result: KeptResult
  /// The other work that was under way, if this has decided the run's end, and not as a success.
  package var claimed: [KeptWork]?

  package init(date: Date, work: KeptWork, attempt: Int, result: KeptResult, claimed: [KeptWork]? = nil) {
    (self.date, self.work, self.attempt, self.result, self.claimed) = (date, work, attempt, result, claimed)
  }
}

/// A decision about a run's end from outside its steps: a call of `cancel()`, or the deadline.
package struct KeptDecision: Sendable {
  package let date: Date
  /// The error of the deadline; `nil` if the run was cancelled.
  package let error: (any Error)?
  package let cause: FlowReport.Cancellation
  /// The work that was under way.
  package let claimed: [KeptWork]

  package init(date: Date, error: (any Error)?, cause: FlowReport.Cancellation, claimed: [KeptWork]) {
    (self.date, self.error, self.cause, self.claimed) = (date, error, cause, claimed)
  }
}

/// The end of a step or an item when it settles, before the run has decided what that means.
package struct KeptEnd {
  /// The settlement that counts; a value that can't be kept is a failure.
  package var settlement: Settlement
  package let source: FlowEvent.Source
  /// The name that its events have, if it isn't the one that the flow tells.
  package let name: String?
  /// The output of an item, if anything needs it later.
  package let output: (any Sendable)?
  package let hidesOutput: Bool
  package let stepName: String
}
