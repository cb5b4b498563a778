/// What few runs keep under the lock of their state, in one object that the others don't have.
final class RareRunState: @unchecked Sendable {
  // Invariant: it is reached through the state of one run only, which that run's lock guards.
  /// Claims that have settled, and whose work may go on.
  private(set) var settled = [WorkTicket: Claim]()
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

  /// Stores a claim whose work may go on after its end.
  func store(_ claim: Claim) { settled[claim.ticket] = claim }

  /// Work has ended whose claim had settled before; returns the limiters that are to be served.
  func endAbandoned(_ ticket: WorkTicket) -> [FlowLimiter] {
    guard let claim = settled[ticket] else { return [] }
    if !claim.work.isFollowUp { settled[ticket] = nil }
    return claim.permits?.endKept() ?? []
  }
}

extension RunState {
  /// Ends a claim: its permits are given back, unless abandoned work keeps them; returns the limiters that are to be served.
  mutating func end(_ claim: Claim, abandonedAs keeper: String?) -> [FlowLimiter] {
    if let keeper, claim.permits?.keep(for: keeper) == true {
      rareOrNew.store(claim)
      return []
    }
    if claim.work.isFollowUp { rareOrNew.store(claim) }
    return claim.permits?.giveBack() ?? []
  }
}

struct WorkRemains: Sendable {
  /// The name that its events had; that of an operation may be its own.
  let name: String
  /// What an error of the user's was described as.
  var errorText: String?
  var item: (any Sendable)?
  var output: (any Sendable)?
}
