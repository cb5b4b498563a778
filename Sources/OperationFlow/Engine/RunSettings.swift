/// What the runs of a flow have besides its steps and its data: an object, because each start of the flow gets it.
package final class RunSettings: @unchecked Sendable {
  // Invariant: it is changed only before anything else has it.
  var observers: [Recorder.Observer] = []
  package var recording = FlowRecording.standard
  package internal(set) var redaction = FlowRedaction.standard
  /// The clock that measures delays and timeouts.
  var clock: any Clock<Duration> = ContinuousClock() {
    didSet { usesSystemClock = type(of: clock) == ContinuousClock.self }
  }
  /// Found out once, because a comparison of types costs more than all else that a start needs of the clock.
  private var usesSystemClock = true
  package var limits = RunLimits()
  package var probe: (any RunProbe)?

  /// Those of a flow that changes none of them.
  static let standard = RunSettings()

  private init() {}

  /// The dates of a run that begins now.
  var dates: RunDates { usesSystemClock ? .standard : RunDates(by: clock) }

  /// The methods of a flow with which something was changed.
  var changedOptions: [String] {
    if self === RunSettings.standard { return [] }
    let options = [
      ("observe(_:)", !observers.isEmpty), ("recording(_:)", recording != .standard),
      ("redaction(_:)", !redaction.isStandard), ("clock(_:)", !usesSystemClock),
      ("deadline(_:)", limits.deadline != nil), ("quietWarning(after:)", limits.quietTime != nil),
      ("retryBudget(_:)", limits.retryBudget != .unlimited), ("randomSeed(_:)", limits.seed != nil),
    ]
    return options.filter(\.1).map(\.0)
  }

  package func changed(by change: (RunSettings) -> Void) -> RunSettings {
    let new = copy()
    change(new)
    return new
  }

  private func copy() -> RunSettings {
    let new = RunSettings()
    new.observers = observers
    new.recording = recording
    new.redaction = redaction
    new.clock = clock
    new.limits = limits
    new.probe = probe
    return new
  }
}
