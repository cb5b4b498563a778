/// What few runs have, in one object that the others don't have.
final class RunExtras: Sendable {
  /// Why the run does nothing; in that case, the blueprint's operations are not its own.
  let refusal: Settlement?
  let limits: RunLimits
  /// What a test does to its work; `nil` outside tests.
  let probe: (any RunProbe)?
  /// What keeps its results; `nil` for a run without a store.
  let keeper: (any RunKeeper)?
  /// What another engine has asked for, if this run performs one of its tasks.
  let task: RunTask?
  /// What it keeps for its operations that wait for something outside it.
  let waits: (any RunWaits)?
  /// The run as its clock knows it; `nil` unless that is driven by a program.
  let driven: DrivenRun?

  /// `nil` if there is none of it, which is found out before an object is made.
  static func of(
    refusal: Settlement?, limits: RunLimits, probe: (any RunProbe)?, keeper: (any RunKeeper)?, task: RunTask?,
    waits: (any RunWaits)?, drivenBy clock: (any DrivenClock)?
  ) -> RunExtras? {
    let isPlain = refusal == nil && limits.areNone && probe == nil && keeper == nil && task == nil && clock == nil
    return isPlain && waits == nil ? nil : RunExtras(refusal, limits, probe, keeper, task, waits, clock)
  }

  private init(
    _ refusal: Settlement?, _ limits: RunLimits, _ probe: (any RunProbe)?, _ keeper: (any RunKeeper)?, _ task: RunTask?,
    _ waits: (any RunWaits)?, _ clock: (any DrivenClock)?
  ) {
    (self.refusal, self.limits, self.probe, self.keeper, self.task) = (refusal, limits, probe, keeper, task)
    self.waits = waits
    driven = clock.map(DrivenRun.init)
  }
}

extension RunEngine {
  var refusal: Settlement? { extras?.refusal }
  var limits: RunLimits { extras?.limits ?? RunLimits() }
  @inline(__always) var probe: (any RunProbe)? { extras?.probe }
  @inline(__always) var keeper: (any RunKeeper)? { extras?.keeper }
  var task: RunTask? { extras?.task }
  package var waits: (any RunWaits)? { extras?.waits }
  @inline(__always) var driven: DrivenRun? { extras?.driven }
}
