import Foundation

// The short way from a step or an item that has succeeded to the next one, which nearly all of them take.
extension RunEngine {
  /// Whether a claim is a step that is a closure without traits, which only has to be called.
  @inline(__always)
  func startsPlainClosure(_ claim: RunClaim) -> Bool {
    guard hasShortWay, claim.hasStarted, probe == nil, claim.work.kind == .step, let step = claim.work.step else {
      return false
    }
    return blueprint.isBareClosure(step)
  }

  /// Runs steps that are closures without traits, one after the other; returns the first claim that is something else.
  func runClosures(from first: RunClaim) -> RunClaim? {
    var claim = first
    // What all of them share is taken out of the loop.
    var context = FlowContext(host: self, source: source, ticket: claim.ticket, declared: nil)
    while startsPlainClosure(claim), let step = claim.work.step,
      case .closure(.sync(let body)) = blueprint.steps[step].kind
    {
      context.source = claim.source(blueprint.steps[step].name, of: step)
      context.ticket = claim.ticket
      do {
        try body(context)
      } catch {
        return settleEnd(of: claim.ticket, context.source, Settlement(error), lane: .goesOn)
      }
      let next = goOn(after: claim.ticket, context.source, in: nil) { state, _, now in
        state.closeStep(step, .succeeded, claim.ticket, at: now)
      }
      guard let next else { return settleEnd(of: claim.ticket, context.source, .succeeded, lane: .goesOn) }
      claim = next
    }
    return claim
  }

  /// Whether work is a step that is an asynchronous closure without traits.
  @inline(__always)
  private func isPlainTask(_ work: RunWork) -> Bool {
    guard work.kind == .step, let step = work.step else { return false }
    return blueprint.claimFacts[step].isAsyncClosure && !blueprint.has(any: .traits, at: step)
  }

  /// What a claim is about and its closure, if it is a step that is an asynchronous closure without traits.
  @inline(__always)
  func plainTask(_ claim: RunClaim) -> (source: FlowEvent.Source, body: AwaitedWork.Step)? {
    guard isPlainTask(claim.work), let step = claim.work.step,
      case .closure(.async(let body)) = blueprint.steps[step].kind
    else { return nil }
    return (claim.source(blueprint.steps[step].name, of: step), body)
  }

  /// Ends a step or an item that has succeeded, and hands out what comes after it.
  ///
  /// If a lane has awaited it, what the lane can await next is already its work then, so that a cancel finds it.
  @inline(never)
  func goOn(
    after ticket: WorkTicket, _ source: FlowEvent.Source, _ output: (any Sendable)? = nil, in lane: TaskLane? = nil
  ) -> RunClaim? {
    // What is freed may use the run, so it isn't freed under the lock.
    var freed = RunningWork.Item.untracked
    var freedItems: [any Sendable] = []
    defer { withExtendedLifetime(freed) { withExtendedLifetime(freedItems) {} } }
    return goOn(after: ticket, source, in: lane) { state, next, now in
      freed = state.running.remove(ticket)
      guard let index = source.item else {
        lane?.goOn(to: isPlainTask(next.work) ? next.ticket : nil, &state)
        return state.closeStep(Int(source.step), .succeeded, ticket, at: now)
      }
      lane?.goOn(to: next.ticket, &state)
      guard let group = state.groups[Int(source.step)] else { return }
      group.keep(index, output: output)
      if group.holdsPulled, let item = group.takePulled(index) { freedItems.append(item) }
    }
  }

  /// Ends work that has succeeded, and hands out what comes after it in the same block or group, in one go.
  ///
  /// Returns `nil` if more than that has to be done, and then nothing has changed: `settle` comes to the same. The work
  /// has no traits that matter after a success, so that nothing but its end can follow from it.
  @inline(__always)
  private func goOn(
    after ticket: WorkTicket, _ source: FlowEvent.Source, in lane: TaskLane?,
    keeping: (inout RunState, RunOffer, Date) -> Void
  ) -> RunClaim? {
    var timers: [RunEffect]?
    var laneCount = 0
    let now = dates.now
    let next = state.withLock { state -> RunClaim? in
      guard state.mayGoOn(self.state.waitCount) else { return nil }
      if lane?.isCancelled(state) == true { return nil }
      return recorder.write { record -> RunClaim? in
        guard !record.hasListeners, let offer = state.machine.goOn(after: ticket) else { return nil }
        record.appendPlain(.finished(.successfully), source: source, at: now)
        keeping(&state, offer, now)
        state.noteClaim(offer, hasTimes: blueprint.has(.timed), at: now)
        timers = offer.timers
        if state.machine.tree.usersCount > 0 { laneCount = state.lanesToAdd() }
        return claim(offer, &record, at: now)
      }
    }
    if timers != nil || laneCount > 0 { begin(timers, laneCount: laneCount) }
    return next
  }

  @inline(never)
  private func begin(_ timers: [RunEffect]?, laneCount: Int) {
    perform(PendingEffects(timers: timers ?? [], laneCount: laneCount))
  }
}
