/// Called with the flow on the main actor, before its first operation starts.
public typealias FlowWillStartBlock = @MainActor @Sendable (Flow) -> Void
/// Called with the flow on the main actor, once, when everything that it started has ended.
public typealias FlowDidFinishBlock = @MainActor @Sendable (Flow) -> Void

/// A list of steps that run one after the other, share data, and record what happened.
///
/// ```swift
/// Flow("Publish")
///   .setDataBucket(dataBucket: ["email": "test@gmail.com", "password": "123456"])
///   .add(LoginOp())
///   .add(LoadProfileOp())
///   .setDidFinishBlock { flow in print(flow.generateSummary()) }
///   .start()
/// ```
/// <doc:StepsAndTraits> has a table of every way to add a step.
///
/// The methods that build a flow return it. You can call them from any thread. A run does what the flow contains when
/// it starts; later changes affect later runs. The run continues even if nothing refers to the flow.
public final class Flow: Sendable {
  package struct State: Sendable {
    package var builder = BlueprintBuilder() {
      didSet {
        facts = nil
        finished = nil
      }
    }
    fileprivate private(set) var finished: SharedBlueprint?
    var facts: BlueprintFacts?
    package var willStart: FlowWillStartBlock?
    package var didFinish: FlowDidFinishBlock?
    package var settings = RunSettings()
    package var run: FlowRun?
    /// The initial data of each run's bucket; `nil` if there is none.
    package var initialData: DataBucket?

    /// The methods that gave the flow options of a whole run, which have an effect only if the flow itself is run.
    var runOptions: [IgnoredOption] {
      let blocks =
        (willStart == nil ? [] : ["setWillStartBlock(block:)"])
        + (didFinish == nil ? [] : ["setDidFinishBlock(block:)"])
      return (blocks + settings.changedOptions).map { .option($0) }
    }

    /// Finishes the blueprint once, and returns one reference to it, because a copy counts many references.
    mutating func sharedBlueprint() -> SharedBlueprint {
      if let finished { return finished }
      let made = SharedBlueprint(builder.finish())
      finished = made
      return made
    }
  }

  /// The flow's name, which appears in its log lines and errors.
  public let name: String
  package let state = Locked(State())

  /// Creates a flow that does nothing yet.
  public convenience init() {
    self.init("Flow")
  }

  /// Creates a flow with a name.
  ///
  /// - Parameter name: The name, which appears in its log lines and errors.
  public init(_ name: String) { self.name = name }

  /// The initial data of each run's bucket; the events that it records are added to the start of the next run's record.
  package var initialData: DataBucket {
    state.withLock { $0.initialData.orNew(DataBucket(FlowData(), sensitiveNames: [], recorder: Recorder())) }
  }

  /// The initial data of each run's bucket; `nil` if nothing has been set.
  var knownInitialData: DataBucket? { state.withLock { $0.initialData } }

  /// True if the last run succeeded; also before the first run, and while a run is under way.
  public var isSuccess: Bool { run?.currentOutcome?.isSuccess ?? true }

  /// The error of the last run, with the code `cancelled` if it was cancelled; `nil` before its end and on success.
  public var error: (any Error)? { run?.currentOutcome?.error }

  /// The values of the last run's data bucket; before the first run, the values that it begins with.
  ///
  /// Setting it replaces all values: those of a run that is under way; otherwise those of the last run, and those that
  /// the next run begins with.
  @preconcurrency
  public var dataBucket: [String: any Sendable] {
    get { (run?.bucket ?? knownInitialData)?.values ?? [:] }
    set { for bucket in buckets { bucket.replaceAll(newValue) } }
  }

  /// Returns the flow as it is now, on another clock than its own if one is given; `makesAll` is for
  /// ``BlueprintFacts``.
  package func makeLaunch(on clock: (any Clock<Duration>)? = nil, makesAll: Bool = false) -> Launch {
    // A copy of the whole state would count references to parts that aren't needed here.
    let (blueprint, known, initialData, settings, dataMayGrow) = state.withLock { state in
      (state.sharedBlueprint(), state.facts, state.initialData, state.settings, state.willStart != nil)
    }
    var launchSettings = settings
    if let clock { launchSettings.clock = clock }
    return Launch(
      flowName: name, blueprint: blueprint,
      facts: facts(of: blueprint, known, marking: initialData?.sensitiveNames ?? [], makesAll: makesAll),
      settings: launchSettings, dataMayGrow: dataMayGrow)
  }

  private func facts(
    of blueprint: SharedBlueprint, _ known: BlueprintFacts?, marking names: Set<String>, makesAll: Bool
  ) -> BlueprintFacts {
    if blueprint.value.isEmpty, names.isEmpty { return .ofNothing }
    if let known, known.madeAll || !makesAll, known.markedNames == names { return known }
    let found = BlueprintFacts(blueprint.value, markedNames: names, makesAll: makesAll)
    state.withLock { if $0.finished === blueprint { $0.facts = found } }
    return found
  }

  var run: FlowRun? { state.withLock { $0.run } }

  /// The buckets to write to: that of a run that is under way, or else those of the next run and of the last one, to be
  /// read.
  var buckets: [DataBucket] {
    guard let run else { return [initialData] }
    return run.currentOutcome == nil ? [run.bucket] : [initialData, run.bucket]
  }

  /// Returns the summary of the last run: a line `TIME [WHO] WHAT` for each event, and a last line with the result.
  ///
  /// You can call this while the run is under way.
  ///
  /// - Parameter style: The parts of the summary, and the format of its times.
  /// - Returns: The summary's text.
  public func generateSummary(style: FlowSummaryStyle = .events) -> String { record.summary(style: style) }

  /// The record of the last run, without secrets; created on each access.
  ///
  /// You can read it while the run is under way. The record of a flow that has not run has no steps.
  public var record: FlowRecord {
    let (run, redaction) = state.withLock { ($0.run, $0.settings.redaction) }
    guard let run else {
      let log = notes.hiding(initialData.sensitiveNames, redaction)
      return FlowRecord(name, RunFacts(), log.events, hiding: log.secrets(among: initialData.values, RunFacts()))
    }
    return run.record(adding: notes.hiding(run.bucket.sensitiveNames, redaction))
  }

  /// The events that were recorded while no run was under way, since the last run started.
  private var notes: EventLog { knownInitialData?.recorder?.log ?? EventLog() }

  /// True if a line was logged outside a run, so that only this flow's next record will have it.
  var hasLogged: Bool { knownInitialData?.recorder?.log.hasLines ?? false }

  /// Adds a line to the record of the run that is under way, or to the start of the next run's record.
  ///
  /// - Parameters:
  ///   - message: The line; a summary shows it after the time and the flow's name.
  ///   - level: The importance of the line.
  public func log(message: String, level: FlowLogLevel = .info) {
    buckets.first?.recorder?.record(.logged(message, level), source: FlowEvent.Source(name))
  }
}

extension Flow {
  /// Replaces the values that the data bucket starts with, or the values of the run's bucket while the flow runs.
  ///
  /// - Parameter dataBucket: The values by their names.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setDataBucket(dataBucket: [String: any Sendable]) -> Flow {
    for bucket in buckets { bucket.replaceAll(dataBucket) }
    return self
  }

  /// Sets one value that the data bucket starts with; nothing is recorded before the run.
  ///
  /// - Parameters:
  ///   - key: The key to set.
  ///   - value: The value; `nil` removes the name.
  /// - Returns: The flow.
  @discardableResult
  public func set<Value>(_ key: FlowKey<Value>, to value: Value?) -> Flow {
    if key.isSensitive { initialData.markSensitive([key.name]) }
    initialData.replace(value, named: key.name)
    return self
  }

  /// Writes a value into the data bucket and records it; while the flow runs, into the run's bucket.
  ///
  /// - Parameters:
  ///   - name: The name to write.
  ///   - value: The new value; an empty optional removes the name.
  /// - Returns: The flow.
  @preconcurrency @discardableResult
  public func setData(name: String, value: any Sendable) -> Flow { write(value, named: name) }

  /// Writes a value of the key's type into the data bucket and records it; while the flow runs, into the run's bucket.
  ///
  /// - Parameters:
  ///   - name: The key to write.
  ///   - value: The new value; `nil` removes the name.
  /// - Returns: The flow.
  @discardableResult
  public func setData<Value>(name: FlowKey<Value>, value: Value?) -> Flow {
    write(value, named: name.name, isSensitive: name.isSensitive)
  }

  package func write(_ value: (any Sendable)?, named name: String, isSensitive: Bool = false) -> Flow {
    for bucket in buckets { bucket.write(value, named: name, isSensitive: isSensitive) }
    return self
  }

  /// Marks keys as sensitive: their values are shown as `<redacted>` in every text.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The flow.
  @discardableResult
  public func markSensitive<Value>(_ keys: FlowKey<Value>...) -> Flow {
    markSensitive(Set(keys.map(\.name)))
  }

  /// Marks names as sensitive: their values are shown as `<redacted>` in every text.
  ///
  /// - Parameter names: The names.
  /// - Returns: The flow.
  @discardableResult
  public func markSensitive(_ names: String...) -> Flow {
    markSensitive(Set(names))
  }

  private func markSensitive(_ names: Set<String>) -> Flow {
    initialData.markSensitive(names)
    run?.bucket.markSensitive(names)
    return self
  }

  /// The initial data of a run that gets no data of its own.
  package var startingData: FlowData { knownInitialData?.content ?? FlowData() }
}

extension Flow: CustomStringConvertible, CustomReflectable {
  /// The flow's name, and a line for each of the first 100 steps and branches, without sensitive values.
  public var description: String {
    let (blueprint, redaction) = state.withLock { ($0.sharedBlueprint().value, $0.settings.redaction) }
    let data = startingData
    let paths = blueprint.makePaths(hiding: data.sensitiveNames)
    let secrets = data.secrets(redaction)
    return blueprint.text(named: secrets.scrubbing(name), paths.hiding(redaction).scrubbing(secrets))
  }

  /// The text alone, because a flow refers to its data.
  public var customMirror: Mirror { Mirror(self, children: ["description": description], displayStyle: .class) }
}

extension Blueprint {
  private static let listedCount = 100

  package func text(named name: String, _ paths: PathTable) -> String {
    let nodes = paths.outermostFirst
    var lines = ["flow \"\(LineText.escaped(name))\":" + (nodes.isEmpty ? " no steps" : "")]
    for node in nodes.prefix(Self.listedCount) {
      let name = paths.name(of: node)
      let text = paths.number(of: node).map { "\($0). \(ValueText.cutInside(name, limit: 200))" } ?? name
      let depth = min(paths.line(to: node).count, 20)
      lines.append(String(repeating: "  ", count: depth) + LineText.escaped(text))
    }
    if nodes.count > Self.listedCount { lines.append("  … and more") }
    return lines.joined(separator: "\n")
  }
}
