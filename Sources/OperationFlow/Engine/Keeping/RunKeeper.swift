import Foundation

/// Stores a run's decisions, so that another process can continue it.
///
/// Calls under the run's lock have the order of the run's decisions. They must not block, or call users' code.
package protocol RunKeeper: AnyObject, Sendable {
  var id: String { get }

  /// True if work may have to wait until earlier settlements are safe.
  var holdsWorkBack: Bool { get }

  /// True if claimed work may have to wait now, or must check whether it was cancelled; read outside all locks.
  var mayHoldBack: Bool { get }

  /// Returns true if claimed work has to wait; then `resume` is called later, once.
  ///
  /// It is called under the run's lock.
  func holdsBack(_ resume: @escaping @Sendable () -> Void) -> Bool

  /// Prepares for writes of a step or an item that is about to be performed; called outside all locks.
  func willPerform(step: Int, item: Int?)

  /// Records that an attempt at a step, an item or an undo begins; called outside all locks, before the work starts.
  func willBegin(_ work: RunWork, attempt: Int, at date: Date)

  /// Returns true if anything stored so far is still being written; then `resume` is called later, once.
  ///
  /// It is called under the run's lock.
  func isWriting(thenCall resume: @escaping @Sendable () -> Void) -> Bool

  /// Encodes the results of work that settles, which may turn a success into a failure; called outside all locks.
  func encode(
    _ settlement: inout Settlement, _ output: (any Sendable)?, of source: FlowEvent.Source, in engine: RunEngine
  ) -> any KeptParts

  /// Encodes only what a step or an item wrote; the parts are empty if there is nothing.
  func encodeWrites(step: Int?, item: Int?) -> any KeptParts

  /// Returns the reason why a value that a group writes at its end can't be stored; `nil` if it can.
  func problem(keeping value: (any Sendable)?, named name: String) -> FlowError?

  /// Stores a settlement, under the run's lock.
  func store(_ settlement: RunSettlement, _ parts: any KeptParts)

  /// Withdraws the parts of a settlement that did not count.
  func withdraw(_ parts: any KeptParts)

  /// Stores, under the run's lock, a decision of the end from outside the steps: an error, or a cancellation.
  func storeDecision(_ error: (any Error)?, _ cause: FlowReport.Cancellation, at date: Date, claimed: [RunWork])

  /// Writes, outside all locks, everything that was stored.
  func flush()

  /// Stores the end; `done` is called once that is safe, or with the error that the run fails with if it can't be
  /// stored.
  func end(
    _ outcome: FlowOutcome, at date: Date, warn: @escaping @Sendable (String) -> Void,
    done: @escaping @Sendable (FlowError?) -> Void)
}

/// The parts that a keeper has made of some work's results, outside the lock, to be stored under it.
package typealias KeptParts = AnyObject & Sendable

/// The end of a piece of work, as the run has decided it.
package struct RunSettlement {
  package let date: Date
  package let work: RunWork
  package let attempt: Int
  package let result: RunResult
  /// The text of a user's error.
  package let errorText: String?
  /// After a failure, the delay before the next attempt; `nil` if none follows.
  package let retriedAfter: Duration?
  /// The number of items that a sequence has delivered so far.
  package let pulledCount: Int
  /// True if the work has begun, and may have had an effect.
  package let hasBegun: Bool
  /// The other work that was cut off, if this decides the end of the run or its cleanup, and not as a success.
  package let claimed: [RunWork]?
}

// The use of a keeper when a piece of work ends.
extension RunEngine {
  // MARK: Before the lock

  /// Encodes the results of a user's work, which may turn a success into a failure.
  ///
  /// It returns `nil` without a keeper, while the run is restored, and if the end doesn't count any more.
  func keptResults(
    _ settlement: inout Settlement, _ output: (any Sendable)?, of writer: FlowEvent.Source, _ ticket: WorkTicket
  ) -> (any KeptParts)? {
    guard let keeper, state.withLock({ !$0.isReplaying && $0.machine.work(of: ticket) != nil }) else { return nil }
    return keeper.encode(&settlement, output, of: writer, in: self)
  }

  /// Encodes the writes of work that leaves nothing else; `nil` without a keeper, or while the run is restored.
  func keptWrites(_ work: RunWork) -> (any KeptParts)? {
    guard let keeper, !state.withLock({ $0.isReplaying }) else { return nil }
    return keeper.encodeWrites(step: work.step, item: work.item)
  }

  /// Records that an attempt begins, before any code of its own runs, so that it counts if the process ends in it.
  func recordBegin(_ claim: Claim) {
    guard let keeper, !claim.isNoted, claim.work.isAttempt || claim.work.kind == .undo else { return }
    claim.isNoted = true
    keeper.willBegin(claim.work, attempt: claim.attempt, at: dates.now.date)
  }

  // MARK: Under the lock

  /// Makes the keeper's entry for a piece of work that has settled, once the state machine has decided what follows.
  func settlement(of work: RunWork, _ end: inout WorkEnd, _ state: inout RunState) -> RunSettlement {
    // The cleanup is cut off in the same way, after the run's end was decided.
    let isCutOff = end.decision.effects.contains { if case .cancel = $0 { true } else { false } }
    let decidesFailure = !end.wasStopping && state.machine.ending?.isSuccess == false
    return RunSettlement(
      date: end.moment.date, work: work, attempt: end.claim.attempt, result: end.result,
      errorText: end.errorText, retriedAfter: end.decision.follow == .retried ? end.result.retryDelay : nil,
      pulledCount: work.step.flatMap { state.groups[$0]?.pulledCount } ?? 0, hasBegun: end.claim.isBegun,
      claimed: isCutOff || decidesFailure ? state.machine.keptClaims : nil)
  }

  /// Stores the entry of a decision that no work has made.
  func recordDecision(
    _ error: (any Error)?, _ cause: FlowReport.Cancellation, _ state: inout RunState, at moment: RunMoment
  ) {
    guard let keeper, !state.isReplaying else { return }
    keeper.storeDecision(error, cause, at: moment.date, claimed: state.machine.keptClaims)
  }
}

extension RunStateMachine {
  /// The claimed work that was cut off, as an entry lists it.
  fileprivate var keptClaims: [RunWork] {
    claims.all.map(\.value).filter { $0.isCancelled && $0.work.kind != .finish }.map(\.work)
  }
}
