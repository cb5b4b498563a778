/// What few runs have, in one object that the others don't have.
final class RunExtras: Sendable {
  /// Why the run does nothing; in that case, the blueprint's operations are not its own.
  let refusal: FlowError?
  let limits: RunLimits
  /// What a test does to its work; `nil` outside tests.
  let probe: (any RunProbe)?
  /// What keeps its results; `nil` for a run without a store.
  let keeper: (any RunKeeper)?
  /// What another engine has asked for, if this run performs one of its tasks.
  let task: RunTask?
  /// The run as its clock knows it; `nil` unless that is driven by a program.
  let driven: DrivenRun?

  /// `nil` if there is none of it, which is found out before an object is made.
  static func of(
    refusal: FlowError?, limits: RunLimits, probe: (any RunProbe)?, keeper: (any RunKeeper)?, task: RunTask?,
    drivenBy clock: (any DrivenClock)?
  ) -> RunExtras? {
    let isPlain = refusal == nil && limits.areNone && probe == nil && keeper == nil && task == nil && clock == nil
    return isPlain ? nil : RunExtras(refusal, limits, probe, keeper, task, clock)
  }

  private init(
    _ refusal: FlowError?, _ limits: RunLimits, _ probe: (any RunProbe)?, _ keeper: (any RunKeeper)?, _ task: RunTask?,
    _ clock: (any DrivenClock)?
  ) {
    (self.refusal, self.limits, self.probe, self.keeper, self.task) = (refusal, limits, probe, keeper, task)
    driven = clock.map(DrivenRun.init)
  }
}

extension RunEngine {
  var refusal: FlowError? { extras?.refusal }
  var limits: RunLimits { extras?.limits ?? RunLimits() }
  @inline(__always) var probe: (any RunProbe)? { extras?.probe }
  @inline(__always) var keeper: (any RunKeeper)? { extras?.keeper }
  var task: RunTask? { extras?.task }
  @inline(__always) var driven: DrivenRun? { extras?.driven }
}
