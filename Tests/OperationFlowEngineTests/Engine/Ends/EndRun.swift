import TestSupport

@testable import OperationFlow

/// An event that meets the end of a run.
enum EndEvent: CaseIterable, Sendable {
  case cancel, pause, resume, pauseAndResume, time, release, dropRun, dropFlow, look, read, wait, follow
}

/// One run of a small flow, with events that meet its end.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class EndRun: Sendable {
  private struct State: Sendable {
    var flow: Flow?
    var run: FlowRun?
    var engine = Weak<RunEngine>(nil)
    var recorder = Weak<Recorder>(nil)
    var bucket = Weak<DataBucket>(nil)
    var handle = Weak<FlowRun>(nil)
    var builder = Weak<Flow>(nil)
    var isCancelled = false
    var timersFired = false

    var isAnythingAlive: Bool {
      engine.object != nil || recorder.object != nil || bucket.object != nil || handle.object != nil
        || builder.object != nil
    }
  }

  let scheduler: PointScheduler
  private let kind: EndKind
  private let scene: EndScene
  private let watch: EndWatch
  private let state = Locked(State())

  /// Creates a run whose pieces depend on the seed; if it `isFree`, it has its own threads and tasks.
  init(_ kind: EndKind, seed: UInt64, _ order: PointScheduler.Order, isFree: Bool = false) {
    self.kind = kind
    scheduler = PointScheduler(order)
    scene = EndScene(scheduler, seed: seed, isFree: isFree)
    watch = EndWatch(scene)
  }

  /// Runs the flow to its end, with events after numbers of jobs; returns a complaint, or `nil`.
  func perform(_ events: [(event: EndEvent, delay: Int)] = []) async -> String? {
    scheduler.add { self.start() }
    for (event, delay) in events { add(event, after: delay) }
    // When nothing happens by itself, all that may let the run continue happens, and at last a cancel.
    let times = [EndEvent](repeating: .time, count: 8)
    var steps = ([.release, .resume] + times + [.cancel] + times)[...]
    while true {
      let count = scheduler.jobCount
      await scheduler.untilIdle()
      if watch.isOver { break }
      if let step = steps.popFirst() {
        scheduler.add { self.happen(step) }
      } else if scene.isFree || kind == .dependency {
        await SuiteWatch.shared.watch("the end of \(kind)") { await scheduler.untilJob(after: count) }
        scheduler.add { self.happen(.time) }
      } else {
        return "hangs: " + description
      }
    }
    watch.check(kind, isCancelled: state.withLock { $0.isCancelled }, timersFired: state.withLock { $0.timersFired })
    // Abandoned work may wait for this.
    for event in [EndEvent.release, .dropRun, .dropFlow] { scheduler.add { self.happen(event) } }
    await scheduler.untilIdle()
    let complaint = watch.complaints.isEmpty ? nil : description
    if complaint == nil { await SuiteWatch.shared.watch("the freeing of \(kind)") { await untilFreed() } }
    scheduler.stop()
    return complaint
  }

  /// Waits until nothing of the run is alive.
  private func untilFreed() async {
    if watch.hasBlock { await watch.finishCount.reach(1) }
    if kind == .object || kind == .dependency { await scene.completions.reach(scene.operations.count) }
    watch.forget()
    // Another thread may still be about to cancel what waits for the time.
    while scene.clock.waitingCount > 0 || scene.alive.now > 0 || state.withLock({ $0.isAnythingAlive }) {
      await Task.yield()
    }
  }

  private var description: String {
    let lines =
      watch.outcome?.report.lines ?? state.withLock { $0.run }?.recorder.log.events.map {
        "\($0.source) \($0.kind)"
      } ?? []
    return (watch.complaints + lines).joined(separator: "\n")
  }

  private func start() {
    let flow = scene.flow(kind)
    // Without any observer, the record is sealed in another way.
    if !scene.oneIn(4) { watch.observe(flow) }
    let run = flow.start()
    state.withLock { state in
      state.flow = flow
      state.run = run
      state.engine = Weak(run.engine)
      state.recorder = Weak(run.recorder)
      state.bucket = Weak(run.bucket)
      state.handle = Weak(run)
      state.builder = Weak(flow)
    }
    if scene.oneIn(3) { watch.follow(run) }
    if scene.oneIn(3) { watch.read(run) }
    if !watch.isWatched || scene.oneIn(2) { watch.wait(for: run) }
  }

  // MARK: Events

  private func add(_ event: EndEvent, after delay: Int) {
    scheduler.add { if delay == 0 { self.happen(event) } else { self.add(event, after: delay - 1) } }
  }

  func happen(_ event: EndEvent) {
    switch event {
    case .time:
      let fired = scene.clock.fireNext()
      return state.withLock { if fired { $0.timersFired = true } }
    case .release: return scene.release.fire()
    // Freed outside the lock.
    case .dropRun: return withExtendedLifetime(state.withLock { $0.run.take() }) {}
    case .dropFlow: return withExtendedLifetime(state.withLock { $0.flow.take() }) {}
    default: break
    }
    guard let run = state.withLock({ $0.run ?? $0.handle.object }) else { return }
    switch event {
    case .cancel:
      state.withLock { $0.isCancelled = true }
      run.cancel()
    case .pause: run.pause()
    case .resume: run.resume()
    case .pauseAndResume:
      run.pause()
      scheduler.point()
      run.resume()
    case .look:
      _ = (run.waitingFor, run.isPaused, run.currentOutcome, run.bucket.values, run.runProgress.fraction)
    case .read: watch.read(run)
    case .wait: watch.wait(for: run)
    case .follow: watch.follow(run)
    case .time, .release, .dropRun, .dropFlow: break
    }
  }
}
