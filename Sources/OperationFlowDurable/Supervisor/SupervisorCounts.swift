import OperationFlow

extension FlowSupervisor {
  /// The numbers of runs that a supervisor has opened and seen end, since it was created.
  public struct Counts: Sendable, Hashable {
    /// The number of times that a run was begun or resumed here: a run that is suspended and woken counts each time.
    public internal(set) var opened = 0
    /// The number of runs that have succeeded here.
    public internal(set) var succeeded = 0
    /// The number of runs that have failed here.
    public internal(set) var failed = 0
    /// The number of runs that were cancelled here.
    public internal(set) var cancelled = 0

    /// Counts an end, unless the run had ended before it was opened.
    mutating func add(_ outcome: FlowOutcome) {
      if outcome.hadEnded { return }
      switch outcome {
      case .succeeded: succeeded += 1
      case .failed: failed += 1
      case .cancelled: cancelled += 1
      }
    }
  }
}

extension FlowSupervisor.Status {
  /// The status in the text format of Prometheus, version 0.0.4.
  ///
  /// Append it to the `prometheusText` of the metrics of your runs, which have their durations, and how long steps
  /// waited.
  public var prometheusText: String {
    var text = ""
    func add(_ name: String, _ type: String, _ help: String, _ label: String?, _ series: [(String, Int)]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for (value, count) in series { text += name + (label.map { "{\($0)=\"\(value)\"}" } ?? "") + " \(count)\n" }
    }
    add(
      "flow_supervisor_runs", "gauge", "Runs that have not ended, by what they do.", "state",
      [("running", runningCount), ("waiting", waitingCount), ("left", leftRuns.count)])
    add(
      "flow_supervisor_opened_total", "counter", "How often a run was begun, or resumed.", nil, [("", counts.opened)])
    add(
      "flow_supervisor_ended_total", "counter", "Runs that have ended.", "result",
      [("succeeded", counts.succeeded), ("failed", counts.failed), ("cancelled", counts.cancelled)])
    add(
      "flow_supervisor_store_trouble", "gauge", "1 if the store can't be used, or a run not be removed.", nil,
      [("", storeTrouble == nil ? 0 : 1)])
    return text
  }
}
