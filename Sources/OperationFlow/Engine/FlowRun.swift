import Foundation

/// A handle to one execution of a flow.
///
/// Synchronous steps run on threads that they may block, asynchronous ones in tasks. The run continues to its end even
/// if you don't store the handle. You can call every member from any thread. Once the run has ended, it no longer
/// retains the flow's closures.
public final class FlowRun: Sendable, CustomReflectable {
  enum Stage: Sendable {
    /// The run may have to be restored first, and has no engine yet.
    case opening(RunOpening)
    case underWay(RunEngine)
    case over(FlowOutcome)
  }

  struct State: Sendable {
    var stage: Stage
    /// The progress, once it was requested.
    var knownProgress: RunProgress?
    /// The watches for process signals that cancel the run.
    var signalWatches: [Int] = []
  }

  /// The run's data bucket: you can read and write it during the run, and it remains available after the end.
  public let bucket: DataBucket
  let recorder: Recorder
  let state: Locked<State>

  package init(_ engine: RunEngine) {
    bucket = engine.bucket
    recorder = engine.recorder
    state = Locked(State(stage: .underWay(engine)))
    engine.state.withLock { $0.handle = self }
  }

  /// Creates a run that gets its engine later.
  package init(_ opening: RunOpening, _ bucket: DataBucket, _ recorder: Recorder) {
    self.bucket = bucket
    self.recorder = recorder
    state = Locked(State(stage: .opening(opening)))
  }

  var stage: Stage { state.withLock { $0.stage } }

  private func look<Found>(
    _ atOpening: (RunOpening) -> Found, _ atEngine: (RunEngine) -> Found, _ atOutcome: (FlowOutcome) -> Found
  ) -> Found {
    switch stage {
    case .opening(let opening): atOpening(opening)
    case .underWay(let engine): atEngine(engine)
    case .over(let outcome): atOutcome(outcome)
    }
  }

  /// The engine; `nil` before the run has one, and once the run has ended.
  package var engine: RunEngine? {
    if case .underWay(let engine) = stage { engine } else { nil }
  }

  /// The outcome of the run; awaiting it waits for the end without blocking a thread.
  public var outcome: FlowOutcome {
    get async {
      await opened()
      switch stage {
      case .underWay(let engine): return await engine.outcome()
      case .over(let outcome): return outcome
      case .opening: return await self.outcome
      }
    }
  }

  /// The outcome for the task that has called `run()`; cancelling that task cancels the run.
  package nonisolated(nonsending) var outcomeForCaller: FlowOutcome {
    get async {
      await openedForCaller()
      switch stage {
      case .over(let outcome): return outcome
      case .underWay(let engine): return await engine.outcomeForCaller
      case .opening: return await self.outcomeForCaller
      }
    }
  }

  /// The outcome of the run; `nil` until the run ends.
  public var currentOutcome: FlowOutcome? { look({ _ in nil }, \.currentOutcome, { $0 }) }

  /// The events of the run in order: first those in the record, then each new one as it happens.
  ///
  /// Each subscriber has its own position: a slow one delays no other and misses nothing.
  public var events: FlowEvents { FlowEvents(recorder: recorder) }

  /// The progress of the run, made on first access.
  package var runProgress: RunProgress {
    let known = state.withLock { state in
      // The engine uses this progress later.
      if case .opening = state.stage { state.knownProgress = state.knownProgress ?? RunProgress() }
      return state.knownProgress
    }
    if let known { return known }
    let made = look({ _ in RunProgress() }, \.progress, RunProgress.init(endedAs:))
    // Another thread may have made one as well, even after the end.
    return state.withLock { $0.knownProgress.orNew(made) }
  }

  /// The steps and items that have begun and have not ended, the oldest first.
  ///
  /// It is computed on each access. It is empty before the run has begun, and after its end. While the journal of a
  /// durable run is read, its only entry is the run itself. Values that the record hides are also hidden in names and
  /// paths.
  public var waitingFor: [Waiting] {
    let waiting = look({ [Waiting($0)] }, \.waitingFor, { _ in [] })
    if waiting.isEmpty { return [] }
    let secrets = secrets
    return waiting.map { $0.scrubbing(secrets) }
  }

  /// Cancels the run: no further step starts, running work is cancelled, and the run ends once, as cancelled.
  ///
  /// Its undos and `always` steps run before that. A closure that a thread is about to call may still begin. A run that
  /// waits for its block on the main actor ends without calling it.
  public func cancel() { cancel(by: .call) }

  package func cancel(by cause: FlowReport.Cancellation) { request({ $0.cancel(cause) }, { $0.cancel(by: cause) }) }

  /// Delays new steps, and new items of groups, until ``resume()``; running work continues.
  ///
  /// Work that a thread is about to begin may still begin. Work that waits for a ``FlowLimiter`` lets others go first,
  /// and asks again when the run continues. A paused run can be cancelled. A run whose last step was running when it
  /// was paused ends with that step. A paused run is retained until it continues or ends, even if nothing else retains
  /// it.
  public func pause() { request({ $0.isPaused = true }, { $0.isPaused = true }) }

  /// Continues the run after ``pause()``.
  public func resume() { request({ $0.isPaused = false }, { $0.isPaused = false }) }

  /// True if the run is paused, so that ``pause()`` delays new steps.
  public var isPaused: Bool { look(\.isPaused, \.isPaused, { _ in false }) }

  /// The flow's name, the values of the bucket and the outcome; sensitive values are shown as `<redacted>`.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["flowName": shownName, "bucket": bucket, "outcome": currentOutcome as Any], displayStyle: .class)
  }

  package var flowName: String { look(\.flowName, \.flowName, \.report.plainFlowName) }

  var facts: RunFacts { look(\.facts, \.facts, \.report.facts) }

  /// The texts of the values that the run's record hides.
  var secrets: SecretTexts { recorder.log.secrets(among: bucket.values, facts) }

  /// The flow's name, without values that the record hides.
  package var shownName: String { secrets.scrubbing(flowName) }

  /// The time on the run's clock, which no one sets; after the run, the time of its last event.
  package var currentTime: Date { look({ _ in recorder.now.time }, \.time, { _ in lastTime }) }

  /// Returns the date that the run's clock showed at a time.
  package func date(of time: Date) -> Date { recorder.log.shifts.date(of: time) }

  /// The time of the newest event.
  package var lastTime: Date { recorder.lastTime }

  package var hasBegun: Bool { look({ _ in false }, { $0.state.withLock { $0.hasBegun } }, { _ in true }) }

  package func begin() { engine?.begin() }

  /// Ends the run, and releases everything that it was made of.
  func end(_ outcome: FlowOutcome) {
    // Values that are freed may use the run, so they aren't freed under the lock.
    let (earlier, watches) = state.withLock { state in
      (exchange(&state.stage, with: .over(outcome)), exchange(&state.signalWatches, with: []))
    }
    for watch in watches { SignalWatch.shared.remove(watch) }
    if case .opening(let opening) = earlier { opening.resumeWaiters() }
  }
}
