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
    _ launch: Launch, _ refusal: Settlement?, _ keeper: (any RunKeeper)?, _ clock: (any DrivenClock)?
  ) -> RunExtras? {
    let settings = launch.settings
    let waits = launch.blueprint.makeWaits()
    let isPlain =
      refusal == nil && settings.limits.areNone && settings.probe == nil && keeper == nil && launch.task == nil
      && clock == nil && waits == nil
    return isPlain ? nil : RunExtras(launch, refusal, keeper, waits, clock)
  }

  private init(
    _ launch: Launch, _ refusal: Settlement?, _ keeper: (any RunKeeper)?, _ waits: (any RunWaits)?,
    _ clock: (any DrivenClock)?
  ) {
    limits = launch.settings.limits
    probe = launch.settings.probe
    task = launch.task
    self.refusal = refusal
    self.keeper = keeper
    self.waits = waits
    driven = clock.map(DrivenRun.init)
  }
}

extension RunEngine {
  var refusal: Settlement? { extras?.refusal }
  var limits: RunLimits { extras?.limits ?? RunLimits() }
  var probe: (any RunProbe)? { extras?.probe }
  var keeper: (any RunKeeper)? { extras?.keeper }
  var task: RunTask? { extras?.task }
  package var waits: (any RunWaits)? { extras?.waits }
  var driven: DrivenRun? { extras?.driven }
}
