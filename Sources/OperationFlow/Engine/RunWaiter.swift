/// Claimed work of a run that waits for a permit, without a lane.
final class RunWaiter: PermitWaiter {
  /// What to do once it has all of its permits.
  enum Work: Sendable {
    case perform(RunClaim)
    /// Start an operation, which has waited for others before.
    case start(FlowOperation, @Sendable () -> Void)
  }

  let engine: RunEngine
  let ticket: WorkTicket
  let limits: StepLimits
  let work: Work

  init(_ engine: RunEngine, _ ticket: WorkTicket, _ limits: StepLimits, _ work: Work) {
    self.engine = engine
    self.ticket = ticket
    self.limits = limits
    self.work = work
  }

  var operation: FlowOperation? {
    if case .start(let operation, _) = work { operation } else { nil }
  }

  func permitArrived() -> [FlowLimiter] { engine.permitArrived(self) }

  /// Ends the work as cancelled before it has begun.
  func stop(_ bucket: DataBucket) {
    switch work {
    case .perform(let claim): engine.endWaiting(claim)
    case .start(let operation, _): operation.discard(bucket)
    }
  }
}
