import Foundation

extension FlowRun {
  /// Cancels the run: nothing more starts, what runs is cancelled, and it ends once, as cancelled.
  ///
  /// A closure that a thread has taken up in that very moment may still begin.
  public func cancel() {
    let (running, lanes) = state.withLock { state in
      guard !state.machine.isStopping else { return ([RunSlots.Running](), 0) }
      let reaction = state.machine.cancel()
      state.paused = nil
      recorder.append(.cancelRequested, source: source)
      return (reaction == .cancelRunning ? state.slots.running : [], lanesToAdd(&state))
    }
    recorder.deliver()
    for started in running { started.cancel() }
    if refusal == nil, isStopping { blueprint.discardInstances() }
    addLanes(lanes)
  }

  /// Lets no new step, and no new item of a group, start until ``resume()``; what runs goes on.
  ///
  /// What a thread has taken up in that very moment may still begin.
  /// A paused run can be cancelled. One whose last step was running when it was paused ends with it. It is kept until
  /// it goes on, or ends, though nobody holds it.
  public func pause() {
    setPaused(true)
  }

  /// Goes on after ``pause()``.
  public func resume() {
    setPaused(false)
  }

  private func setPaused(_ isPaused: Bool) {
    let lanes = state.withLock { state in
      guard state.machine.isPaused != isPaused, !state.machine.hasEnded else { return 0 }
      state.machine.isPaused = isPaused
      state.paused = isPaused ? self : nil
      recorder.append(isPaused ? .paused : .resumed, source: source)
      return lanesToAdd(&state)
    }
    recorder.deliver()
    addLanes(lanes)
  }

  /// Whether new steps are held back by ``pause()``.
  public var isPaused: Bool { state.withLock { $0.machine.isPaused } }

  /// How far the run has come: steps by their weight, a group by its items, and what operations report themselves.
  ///
  /// Its fraction is 1 when the run has succeeded, whichever branches were taken; after a failure, it stays as it was.
  /// Cancelling, pausing or resuming the progress does so to the run. Its observers are called in the run's threads.
  /// It is made when it is first asked for, and is the same from then on.
  public var progress: Progress {
    if let known = state.withLock({ $0.progress }) { return known.progress }
    let made = RunProgress(
      cancel: { [weak self] in self?.cancel() }, pause: { [weak self] in self?.pause() },
      resume: { [weak self] in self?.resume() })
    let kept = state.withLock { state in
      let kept = state.progress ?? made
      state.progress = kept
      return kept.moved(after: nil, state.machine)
    }
    kept.apply()
    return kept.progress
  }

  /// An operation or a closure says how far it has come; past its end nobody listens.
  func report(_ fraction: Double, _ slot: RunSlots.ID) {
    let progress = state.withLock { state -> RunProgress? in
      guard let work = state.slots.work(in: slot) else { return nil }
      return state.progress?.report(fraction, item: work.item, state.machine)
    }
    progress?.apply()
  }

  /// The run's events in order: what the record has kept so far, and from then on every one as it happens.
  ///
  /// Each subscriber has a place of its own: a slow one holds nobody up and loses nothing.
  public var events: FlowEvents { FlowEvents(recorder: recorder) }

  var isStopping: Bool { state.withLock { $0.machine.isStopping } }
}
