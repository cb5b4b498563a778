import Foundation

extension RunEngine {
  /// Warns whenever nothing has happened for the time that the flow's user has set, until the run has ended.
  func watchForQuiet() {
    guard let limit = limits.quietTime?.clamped() else { return }
    let work: @Sendable () async -> Void = { [weak self, clock, recorder, dates] in
      /// The number of the last warning, after which nothing else has happened yet.
      var warning = -1
      var wait = limit
      /// The newest event that was seen, and the time at which it happened.
      var seen = (number: -1, time: dates.elapsed)
      var lastLook = seen.time
      // A task that is cancelled doesn't sleep: the run has ended.
      while (try? await clock.sleep(for: wait)) != nil, let newest = recorder.newest {
        let now = dates.elapsed
        if newest.number != seen.number {
          let age = Duration.clamping(seconds: dates.now.time.timeIntervalSince(newest.time))
          seen = (newest.number, now - age.clamped(to: .zero...max(.zero, now - lastLook)))
        }
        lastLook = now
        let quiet = now - seen.time
        // What happened meanwhile begins the time anew.
        wait = quiet < limit ? limit - quiet : limit
        guard quiet >= limit, newest.number != warning, let self else { continue }
        self.warn(afterQuiet: quiet)
        warning = recorder.newest?.number ?? warning
      }
    }
    // A clock that is driven by hand waits until the watch has looked, so that no time passes meanwhile.
    let watch = (clock as? any DrivenClock)?.startTask(work) ?? Task(operation: work)
    // The run may have ended before there was anything to cancel.
    let isOver = state.withLock { state in
      state.rareOrNew.quietWatch = watch
      return state.outcome.current != nil
    }
    if isOver { watch.cancel() }
  }

  private func warn(afterQuiet time: Duration) {
    let now = self.time
    let waiting = waitingFor.prefix(3).map { $0.text(at: now) }
    let rest = waiting.isEmpty ? (isPaused ? " The run is paused." : "") : " " + waiting.joined(separator: "; ") + "."
    recorder.record(.warned("nothing has happened for \(DurationText.of(time)).\(rest)"), source: source)
  }
}
