import OperationFlow

/// The numbers, results and durations of flows, their steps and their items, added up over any records.
///
/// ```swift
/// var metrics = FlowMetrics()
/// metrics.add(outcome.report.record)
/// print(metrics.prometheusText)
/// ```
/// Steps with the same name in the same flow are counted together. A run that is under way isn't counted as a run, but
/// its steps, and its items that have ended, are counted.
public struct FlowMetrics: Sendable, Hashable {
  /// The name of a step and of its flow; control characters except line feeds are replaced by spaces.
  public struct StepName: Sendable, Hashable {
    /// The first 100 characters of the flow's name.
    public let flow: String
    /// The first 100 characters of the step's name.
    public let step: String

    /// Creates the name of a step.
    ///
    /// - Parameters:
    ///   - flow: The name of the flow.
    ///   - step: The name of the step.
    public init(flow: String, step: String) {
      self.flow = Self.counted(flow)
      self.step = Self.counted(step)
    }

    /// Returns the name with spaces in place of control characters that have no code in Prometheus.
    fileprivate static func counted(_ name: String) -> String {
      let name = ValueText.cut(name, limit: 100)
      // The usual case: printable ASCII only.
      if name.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return name }
      return name.unicodeScalars.reduce(into: "") { counted, scalar in
        let isControl = scalar.properties.generalCategory == .control || [0x2028, 0x2029].contains(scalar.value)
        counted.unicodeScalars.append(isControl && scalar != "\n" ? " " : scalar)
      }
    }
  }

  /// The counts under one name.
  public struct Counts: Sendable, Hashable {
    /// The number of runs, steps or items in each state; states with none are missing.
    public internal(set) var states: [FlowRecord.State: Int] = [:]
    /// The number of attempts.
    public internal(set) var attempts = 0
    /// The durations of the runs, steps or items that have ended.
    public internal(set) var durations = FlowHistogram()
    /// The times that steps waited before they began: for a thread, a permit or dependencies, or during a pause.
    public internal(set) var waits = FlowHistogram()
  }

  /// The runs that have ended, by the names of their flows.
  public private(set) var runs: [String: Counts] = [:]
  /// The steps, by their names; branches aren't steps.
  public private(set) var steps: [StepName: Counts] = [:]
  /// The items of groups, by the names of the groups.
  ///
  /// Only items whose events are in the records have durations.
  public private(set) var items: [StepName: Counts] = [:]

  /// Creates empty metrics.
  public init() {}

  /// Creates the metrics of one record.
  ///
  /// - Parameter record: The record.
  public init(_ record: FlowRecord) { add(record) }

  /// Creates the metrics of several records.
  ///
  /// - Parameter records: The records.
  public init(_ records: some Sequence<FlowRecord>) { for record in records { add(record) } }

  /// Adds the run, the steps and the items of a record.
  ///
  /// - Parameter record: The record.
  public mutating func add(_ record: FlowRecord) {
    let flow = StepName.counted(record.flowName)
    if let ending = record.ending {
      runs[flow, default: Counts()].add(ending.result.state, attempts: 1, ending.duration)
    }
    let waits = Timeline(record).waits(in: record)
    for step in record.steps where step.kind != .branch {
      let name = StepName(flow: flow, step: step.name)
      steps[name, default: Counts()].add(step.state, attempts: step.attempts, step.duration)
      if step.attempts > 0, let wait = waits[step.id] { steps[name]?.waits.add(wait) }
      guard let counts = step.items else { continue }
      items[name, default: Counts()].add(counts)
    }
    addItems(of: record, flow)
  }

  /// Adds other metrics.
  ///
  /// - Parameter other: The metrics to add.
  public mutating func merge(_ other: FlowMetrics) {
    runs.merge(other.runs) { $0.merged(with: $1) }
    steps.merge(other.steps) { $0.merged(with: $1) }
    items.merge(other.items) { $0.merged(with: $1) }
  }

  /// Adds the durations and the attempts of items, found in the record's events.
  private mutating func addItems(of record: FlowRecord, _ flow: String) {
    for (id, group) in RecordedItems.all(in: record) where !group.items.isEmpty {
      guard let step = record.step(id) else { continue }
      let key = StepName(flow: flow, step: step.name)
      var timed = Counts()
      for item in group.items {
        timed.attempts += item.startCount
        if let duration = item.duration { timed.durations.add(duration) }
      }
      // The record's own number of attempts also includes attempts whose events are left out.
      if let known = step.followUps?.itemAttempts, known > 0 { timed.attempts = known }
      items[key, default: Counts()] = (items[key] ?? Counts()).merged(with: timed)
    }
  }
}

extension FlowMetrics.Counts {
  fileprivate mutating func add(_ state: FlowRecord.State, attempts: Int, _ duration: Duration?) {
    states[state, default: 0] += 1
    self.attempts += attempts
    if let duration, state != .running { durations.add(duration) }
  }

  fileprivate mutating func add(_ items: FlowReport.Items) {
    let counts: [(FlowRecord.State, Int)] = [
      (.succeeded, items.succeeded), (.failed, items.failed), (.cancelled, items.cancelled),
    ]
    for (state, count) in counts where count > 0 { states[state, default: 0] += count }
  }

  fileprivate func merged(with other: Self) -> Self {
    var sum = self
    sum.states.merge(other.states) { $0 + $1 }
    sum.attempts += other.attempts
    sum.durations.merge(other.durations)
    sum.waits.merge(other.waits)
    return sum
  }
}
