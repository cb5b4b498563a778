import Foundation

// What a kept run adds to the settling of its work. A run without a keeper asks whether it has one, and nothing else.
extension RunEngine {
  /// What all attempts of some work have in common, also after the run was resumed.
  func idempotencyKey(_ source: FlowEvent.Source, _ ticket: WorkTicket) -> String {
    // The code of an undo or a recovery may go on after its claim has settled.
    let work = state.withLock { $0.machine.work(of: ticket) ?? $0.rare?.settled[ticket]?.work }
    let path = paths.path(of: Int(source.step)).map(\.description) ?? source.name
    var key = "\((keeper?.id ?? state.withLock { $0.id }).escapedForKey)/\(path.escapedForKey)"
    if let item = source.item ?? task?.item { key += "#\(item)" }
    if task?.kind == .undo { return key + "/undo" }
    switch work?.kind {
    case .handOn?: return key + "/result"
    case .undo?: return key + "/undo"
    case .recover?: return key + "/recovery"
    default: return key
    }
  }

  // MARK: Before the lock

  /// True if the keeper has to note the end of some work: not while the run is restored, nor if it no longer counts.
  package func isNoted(_ ticket: WorkTicket) -> Bool {
    state.withLock { !$0.isReplaying && $0.machine.work(of: ticket) != nil }
  }

  /// Encodes what is left of work that leaves no more than what it wrote; `nil` if the run is being restored.
  func keptWrites(_ work: RunWork) -> (any KeptParts)? {
    guard let keeper, !state.withLock({ $0.isReplaying }) else { return nil }
    return keeper.encodeWrites(step: work.step, item: work.item)
  }

  /// Notes that an attempt begins, before any code of its own runs, so that an end of the process in it counts.
  func noteBegin(_ claim: Claim) {
    guard let keeper, !claim.isNoted, claim.work.isAttempt || claim.work.kind == .undo else { return }
    claim.isNoted = true
    keeper.willBegin(claim.work, attempt: claim.attempt, at: dates.now.date)
  }

  /// Starts the time of work that may have had to wait, unless it has begun.
  package func beginTimers(of ticket: WorkTicket) {
    perform(PendingEffects(timers: state.withLock { $0.machine.attemptBegins(ticket) }))
  }

  // MARK: Under the lock

  /// What a keeper takes of a piece of work that has settled, once the state machine has decided what it leads to.
  func settlement(of work: RunWork, _ end: borrowing WorkEnd, _ state: inout RunState) -> RunSettlement {
    // What always runs is cut off in the same way, after the run's end was decided.
    let isCutOff = end.decision.effects.contains { if case .cancel = $0 { true } else { false } }
    let decidesFailure = !end.wasStopping && state.machine.ending?.isSuccess == false
    return RunSettlement(
      date: end.moment.date, work: work, attempt: end.claim?.attempt ?? 1, result: end.result,
      errorText: end.errorText, retriedAfter: end.decision.follow == .retried ? end.result.retryDelay : nil,
      pulledCount: work.step.flatMap { state.groups[$0]?.pulledCount } ?? 0,
      claimed: isCutOff || decidesFailure ? state.machine.keptClaims : nil)
  }

  /// Takes the entry of a decision that no work has made.
  func noteDecision(
    _ error: (any Error)?, _ cause: FlowReport.Cancellation, _ state: inout RunState, at moment: RunMoment
  ) {
    guard let keeper, !state.isReplaying else { return }
    keeper.takeDecision(error, cause, at: moment.date, claimed: state.machine.keptClaims)
  }

  // MARK: Ending without a decision

  /// The date on the run's clock, which may be set.
  package var now: Date { dates.now.date }
  /// The time on the run's clock, which nobody sets.
  package var time: Date { dates.now.time }
  /// How long the run has been under way; `nil` if it has not begun.
  package var duration: Duration? { state.withLock { $0.beganAt }.map { dates.elapsed - $0 } }

  package func warn(_ text: String) { recorder.record(.warned(text), source: source) }

  /// Ends the run because what it decides can't be kept any longer.
  ///
  /// It can be resumed, so nothing is undone, and nothing more always runs.
  package func keepingDidFail(_ failure: FlowError) {
    var effects = PendingEffects()
    let now = dates.now
    state.withLock { stop(leavingToResume: failure, &$0, &effects, at: now) }
    carryOutStop(&effects)
  }

  /// Leaves the run to be resumed, because what it was kept with can't be used: nothing that settles from now on counts.
  ///
  /// Nothing is undone, and nothing more always runs. While the run is restored, what restores it is told by an error.
  package func leave(_ reason: FlowError) {
    var effects = PendingEffects()
    let now = dates.now
    let isLeft = state.withLock { state in
      guard let keeper, state.mayBeLeft else { return false }
      let located = reason.located(flow: flowName, step: nil)
      keeper.leave(located)
      stop(leavingToResume: located, &state, &effects, at: now)
      return true
    }
    if isLeft { carryOutStop(&effects) }
  }

  /// Ends a run that does nothing but wait, so that it can be resumed later; false if it does something else.
  ///
  /// `close` is called under the run's lock with how much work is under way, and knows whether all of it waits; with `nil` if
  /// anything else is to come, such as another attempt. If it agrees, nothing that settles afterwards may be kept. If it is
  /// forced, what the run does is cancelled, and done again later.
  package func putAway(_ reason: FlowError, inAnyCase isForced: Bool = false, close: (Int?) -> Bool) -> Bool {
    // It holds the flow, which isn't freed under the lock.
    var block: (@MainActor @Sendable () -> Void)?
    defer { withExtendedLifetime(block) {} }
    var effects = PendingEffects()
    let now = dates.now
    let isStopped = state.withLock { state -> Bool in
      // The end of what is finishing may be kept already.
      guard state.mayBeLeft, isForced || state.mayOnlyWait,
        close(state.mayOnlyWait ? state.machine.runningCount : nil)
      else { return false }
      block = state.outcome.didFinish.take()
      stop(leavingToResume: reason, &state, &effects, at: now)
      return true
    }
    if isStopped { carryOutStop(&effects) }
    return isStopped
  }

  /// Decides under the lock that the run ends, if that isn't decided already, and that nothing follows the decision.
  private func stop(
    leavingToResume failure: FlowError, _ state: inout RunState, _ effects: inout PendingEffects, at now: RunMoment
  ) {
    var decided = state.machine.leaveToResume()
    if !state.machine.isStopping {
      let located = failure.located(flow: flowName, step: nil)
      decided = state.machine.end(.failed(located))
      state.facts.journalFailed(located, flowName: flowName)
    }
    take(decided, in: &effects, &state, at: now)
  }

  private func carryOutStop(_ effects: inout PendingEffects) {
    // Users' calls may not return, and the thread has work of the run to go on with.
    let cancelled = effects.known?.cancelled ?? []
    effects.known?.cancelled = []
    perform(effects)
    if !cancelled.isEmpty {
      addLane { for operation in self.stop(cancelled) { operation.callCancel() } }
    }
  }
}

extension FlowError {
  /// A copy with what has become of the run.
  package var leavingRun: FlowError {
    advising(
      "The run is left as it was: no step has failed, nothing was undone, and it can be resumed under the same id, "
        + "also by the version of the program that wrote the value.")
  }
}

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
  /// The other work that was under way, if this has decided the run's end, and not as a success.
  package let claimed: [RunWork]?
}

extension RunState {
  /// True if it has begun, and its end isn't being kept already.
  fileprivate var mayBeLeft: Bool { hasBegun && !isReplaying && !machine.isFinishing && !machine.hasEnded }
}

extension RunStateMachine {
  /// What is at work, as an entry lists it.
  fileprivate var keptClaims: [RunWork] {
    claims.all.map(\.value).filter { $0.isCancelled && $0.work.kind != .finish }.map(\.work)
  }
}

extension String {
  /// The same without a slash, which parts a key.
  fileprivate var escapedForKey: String {
    replacingOccurrences(of: "%", with: "%25").replacingOccurrences(of: "/", with: "%2F")
  }
}
