import Foundation

/// A piece of work that settles, and what follows from it.
///
/// What each settling has in common is in functions that aren't inlined: the compiler makes a copy of `settle` for each
/// closure that is passed to it.
struct Settling: ~Copyable {
  fileprivate let ticket: WorkTicket
  fileprivate let source: FlowEvent.Source?
  fileprivate let lane: LaneUse
  fileprivate let parts: (any KeptParts)?
  fileprivate let errorText: String?
  /// One time for the end of this work and the start of the next, because there is nothing between them.
  let now: Date
  fileprivate var effects = PendingEffects()
  /// Whether a keeper has it.
  fileprivate var isKept = false
  fileprivate var next: RunClaim?
}

extension RunEngine {
  @inline(never)
  func settling(
    _ ticket: WorkTicket, _ source: FlowEvent.Source?, _ lane: LaneUse, _ parts: (any KeptParts)?, _ errorText: String?
  ) -> Settling {
    holdClock(true)
    return Settling(
      ticket: ticket, source: source, lane: lane, parts: keeper == nil ? nil : parts ?? keptWrites(ticket),
      errorText: errorText, now: dates.now)
  }

  /// The work that settles, under the lock; `nil` if its end doesn't count.
  @inline(never)
  func begin(_ settling: inout Settling, _ state: inout RunState, counts: Bool) -> RunWork? {
    let ticket = settling.ticket
    guard counts, let work = state.machine.work(of: ticket) else {
      let limiters = state.rare?.endAbandoned(ticket) ?? []
      if !limiters.isEmpty { settling.effects.rare.limiters = limiters }
      return nil
    }
    settling.effects.freed = state.running.remove(ticket)
    if let rare = state.rare {
      let keeper = settling.lane == .abandoned ? settling.source.map { PermitKeeper($0, in: flowName) } : nil
      let limiters = rare.settle(ticket, abandonedAs: keeper)
      if !limiters.isEmpty { settling.effects.rare.limiters = limiters }
    }
    return work
  }

  /// Tells the state machine under the locks, and decides what follows.
  @inline(never)
  func conclude(
    _ settling: inout Settling, _ work: RunWork, _ result: RunResult, _ state: inout RunState,
    _ record: inout Recorder.Record
  ) {
    let (ticket, now) = (settling.ticket, settling.now)
    state.noteEnd(of: work, result, ticket, at: now)
    // A closure would copy the whole state.
    var entry: RunSettlement?
    if settling.parts != nil {
      entry = pendingSettlement(of: work, result, settling.errorText, ticket, &state, at: now)
    }
    let (decided, offer) =
      settling.lane == .goesOn
      ? state.machine.settleAndClaim(ticket, result) : (state.machine.settle(ticket, result), nil)
    if let entry, let parts = settling.parts {
      take(entry, parts, decided, &state)
      settling.isKept = true
    }
    if state.machine.isStopping {
      state.noteDecision(by: work, settling.source, ticket, settling.errorText, at: now)
      state.noteClosingFailure(by: work, settling.source, settling.errorText)
    }
    if !decided.isEmpty { state.note(decided, in: &settling.effects, &record, blueprint, at: now) }
    if let progress = state.progress { settling.effects.rare.progress = progress.moved(after: ticket, state.machine) }
    if let offer { settling.next = claimed(offer, &state, &record, &settling.effects, at: now) }
    if !settling.effects.timers.isEmpty { settling.effects.runTimers = state.timers }
    settling.effects.laneCount = state.lanesToAdd()
    settling.effects.isWatched = record.isWatched
  }

  /// Carries out what follows, outside the locks; returns the lane's next work.
  @inline(never)
  func carryOut(_ settling: borrowing Settling) -> RunClaim? {
    if let parts = settling.parts { settled(parts, settling.isKept) }
    perform(settling.effects)
    holdClock(false)
    return settling.next
  }
}
