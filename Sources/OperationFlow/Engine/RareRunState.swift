/// What few runs keep under the lock of their state, in one object that the others don't have.
final class RareRunState: @unchecked Sendable {
  // Invariant: it is reached through the state of one run only, which that run's lock guards.
  /// Claims that have settled, and whose work may go on.
  private(set) var settled = [WorkTicket: RareClaim]()
  /// What has cancelled the run while it was restored.
  var cancelledBefore: FlowReport.Cancellation?
  /// What the starters of operations that have dependencies need until they have started them.
  var heldForStarters: [any AnyObject & Sendable] = []
  /// The outputs that steps have declared but did not write, although they succeeded.
  var missingOutputs = MissingOutputs()
  /// What work has left for what may follow it: a failed attempt for the recovery, and what undoes a success for itself.
  var remains = [RunWork: WorkRemains]()
  /// What closures have done with keys that the run was warned of.
  var keyUses: Set<String> = []
  /// Made when the state machine first asks for a timer.
  var timers: (any RunTimers)?
  /// What warns if nothing happens; `nil` if nothing is to warn.
  var quietWatch: Task<Void, Never>?

  /// What waits for signals of the process, which cancel the run.
  var signalWatches: [Int] = []

  /// The run is over; returns what has to end outside the lock, or be freed there.
  func end() -> Remains {
    quietWatch?.cancel()
    return Remains(timers: timers.take(), signalWatches: signalWatches, work: exchange(&remains, with: .init()))
  }

  /// What is left of it at the end of the run.
  struct Remains: Sendable {
    let timers: (any RunTimers)?
    let signalWatches: [Int]
    let work: [RunWork: WorkRemains]
  }

  /// A claim has settled: it gives its permits back, unless abandoned work keeps them; returns the limiters to be served.
  func settle(_ claim: RareClaim, abandonedAs keeper: String?) -> [FlowLimiter] {
    if let keeper, claim.permits?.keep(for: keeper) == true {
      settled[claim.ticket] = claim
      return []
    }
    if claim.followUp != nil { settled[claim.ticket] = claim }
    return claim.permits?.giveBack() ?? []
  }

  /// Work has ended whose claim had settled before; returns the limiters that are to be served.
  func endAbandoned(_ ticket: WorkTicket) -> [FlowLimiter] {
    guard let claim = settled[ticket] else { return [] }
    if claim.followUp == nil { settled[ticket] = nil }
    return claim.permits?.endKept() ?? []
  }
}

/// What few claims have, in one object that the others don't have.
final class RareClaim: @unchecked Sendable {
  // Invariant: it is reached through the state of one run only, which that run's lock guards.
  let ticket: WorkTicket
  /// The claim as it goes on, if it waits for something, and for what; `nil` of a reason is a test's.
  var parked: (claim: RunClaim, reason: FlowRun.Waiting.Reason?)?
  /// The undo or the recovery that has begun.
  var followUp: RunWork?
  /// What it recovers from: the machine forgets that when the end of the run is decided.
  var failure: (any Error)?
  var permits: ClaimPermits?

  init(_ ticket: WorkTicket) { self.ticket = ticket }
}

struct WorkRemains: Sendable {
  /// The name that its events had; that of an operation may be its own.
  let name: String
  /// What an error of the user's was described as.
  var errorText: String?
  var item: (any Sendable)?
  var output: (any Sendable)?
}
