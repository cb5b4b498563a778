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

  /// Returns true if what it was given is still being written; `resume` is called later then, once. Called under the run's lock.
  func isWriting(thenCall resume: @escaping @Sendable () -> Void) -> Bool

  /// Encodes outside all locks what work leaves that settles; that may turn a success into a failure.
  func encode(
    _ settlement: inout Settlement, _ output: (any Sendable)?, of source: FlowEvent.Source, in engine: RunEngine
  ) -> any KeptParts

  /// Encodes the same for work that leaves no more than what a step or an item wrote, or nothing if there is none.
  func encodeWrites(step: Int?, item: Int?) -> any KeptParts

  /// Returns what is wrong with a value that a group writes at its end; `nil` if it can be kept.
  func problem(keeping value: (any Sendable)?, named name: String) -> FlowError?

  /// Stores a settlement, under the run's lock.
  func store(_ settlement: RunSettlement, _ parts: any KeptParts)

  /// Withdraws parts whose settlement did not count.
  func withdraw(_ parts: any KeptParts)

  /// Stores, under the run's lock, what decided the end from outside the steps: an error, or what has cancelled it.
  func storeDecision(_ error: (any Error)?, _ cause: FlowReport.Cancellation, at date: Date, claimed: [RunWork])

  /// Writes, outside all locks, what was stored.
  func flush()

  /// Takes the end; `done` is called once it is kept, with the error that the run has failed with if it can't be.
  func end(
    _ outcome: FlowOutcome, at date: Date, warn: @escaping @Sendable (String) -> Void,
    done: @escaping @Sendable (FlowError?) -> Void)
}

/// The parts that a keeper has made of some work's results, outside the lock, to be taken under it.
package typealias KeptParts = AnyObject & Sendable

/// The end of a piece of work, as the run has decided it.
package struct RunSettlement {
  package let date: Date
  package let work: RunWork
  package let attempt: Int
  package let result: RunResult
  /// The text of an error of the user's.
  package let errorText: String?
  /// After a failure, the delay before the next attempt; `nil` if none follows.
  package let retriedAfter: Duration?
  /// How many items of a sequence have come.
  package let pulledCount: Int
  /// True if it has begun, and may have had an effect.
  package let hasBegun: Bool
  /// The other work that was under way, if this has decided the run's end, and not as a success.
  package let claimed: [RunWork]?
}

// The parts of a keeper in the end of a piece of work. A run without one compares a reference with `nil`, and does nothing else.
extension RunEngine {
  // MARK: Before the lock

  /// Encodes the results of a user's work, which may turn a success into a failure; `nil` if the run is being restored, or
  /// if the end doesn't count any more.
  func keptResults(
    _ settlement: inout Settlement, _ output: (any Sendable)?, of writer: FlowEvent.Source, _ ticket: WorkTicket
  ) -> (any KeptParts)? {
    guard let keeper, state.withLock({ !$0.isReplaying && $0.machine.work(of: ticket) != nil }) else { return nil }
    return keeper.encode(&settlement, output, of: writer, in: self)
  }

  /// Encodes the results of work that leaves no more than what it wrote; `nil` if the run is being restored.
  func keptWrites(_ work: RunWork) -> (any KeptParts)? {
    guard let keeper, !state.withLock({ $0.isReplaying }) else { return nil }
    return keeper.encodeWrites(step: work.step, item: work.item)
  }

  /// Notes that an attempt begins, before any code of its own runs, so that an end of the process in it counts.
  func recordBegin(_ claim: Claim) {
    guard let keeper, !claim.isNoted, claim.work.isAttempt || claim.work.kind == .undo else { return }
    claim.isNoted = true
    keeper.willBegin(claim.work, attempt: claim.attempt, at: dates.now.date)
  }

  // MARK: Under the lock

  /// What a keeper takes of a piece of work that has settled, once the state machine has decided what it leads to.
  func settlement(of work: RunWork, _ end: inout WorkEnd, _ state: inout RunState) -> RunSettlement {
    // What always runs is cut off in the same way, after the run's end was decided.
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
  /// What is at work, as an entry lists it.
  fileprivate var keptClaims: [RunWork] {
    claims.all.map(\.value).filter { $0.isCancelled && $0.work.kind != .finish }.map(\.work)
  }
}
