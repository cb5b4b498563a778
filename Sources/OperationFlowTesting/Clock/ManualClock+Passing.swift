import OperationFlow

// Time passes by itself whenever no work is left, and all open work of all runs waits for the clock or for other work,
// or need not be waited for. Real time has no influence on that.
extension ManualClock {
  /// Lets time pass by itself from now on, until `isOver` returns true, or until the returned number is ended.
  func beginPassing(isOver: @escaping @Sendable () -> Bool) -> Int {
    let number = state.withLock { state in
      let number = state.makeNumber()
      state.passing[number] = isOver
      return number
    }
    work.add {}
    return number
  }

  func endPassing(_ number: Int) { _ = state.withLock { $0.passing.removeValue(forKey: number) } }

  /// Moves to the next moment if time passes by itself; called when no work is left.
  func passTime() {
    guard isPassing else { return }
    let (runs, waits) = openRuns()
    let open = openWork(of: runs, waits)
    guard open.isEmpty else { return reportLater() }
    let (next, isHeld) = state.withLock { state -> (ClockSchedule.Wake?, Bool) in
      // A change in the meantime has added work, after which this function is called again.
      guard !state.passing.isEmpty, state.schedule.waits.changeCount == waits.changeCount, work.isIdle else {
        return (nil, false)
      }
      return state.holdCount > 0 ? (nil, true) : (state.schedule.takeNext(notAfter: nil), false)
    }
    wake(next)
    if isHeld { reportLater() }
  }

  private var isPassing: Bool {
    let passing = state.withLock { $0.passing.values.map(\.self) }
    return passing.contains { !$0() }
  }

  /// Returns the runs that have not ended, and the waits.
  private func openRuns() -> ([JoinedRun], ClockWaits) {
    let runs = state.withLock { $0.runs }
    let areOpen = runs.map { $0.openWork { _ in true } != nil }
    return state.withLock { state in
      // Runs are only appended elsewhere, and only removed here, so the first of them are the ones that were asked.
      let open = zip(runs, areOpen).filter(\.1).map(\.0)
      state.runs = open + state.runs.dropFirst(runs.count)
      return (state.runs, state.schedule.waits)
    }
  }

  /// Returns the open work for which time waits.
  ///
  /// Work that waits itself doesn't count, nor does work that has made a run: the run is looked at in its place.
  private func openWork(of runs: [JoinedRun], _ waits: ClockWaits) -> [OpenWork] {
    let makers = Set(runs.compactMap(\.run.maker))
    return runs.compactMap { $0.openWork { waits.contains($0) || makers.contains($0) } }.filter { !$0.isEmpty }
  }

  /// Reports after a while what time waits for, if nothing has happened until then and anything waits for a moment.
  private func reportLater() {
    work.ifIdleLater { [weak self] in
      guard let self, self.isPassing, self.sleeperCount > 0 else { return }
      let (runs, waits) = self.openRuns()
      let names = self.openWork(of: runs, waits).flatMap { $0.names() }.sorted()
      guard !names.isEmpty || self.state.withLock({ $0.holdCount > 0 }) else { return }
      let rest = names.count > 5 ? " and \(names.count - 5) more" : ""
      let waiting =
        names.isEmpty
        ? "work in holdingTime, or a store, has not ended."
        : "these wait for something that it can't see: \(names.prefix(5).joined(separator: ", "))\(rest)."
      let advice = "Let that come, put the waiting in withoutHoldingTime if it may never come, or call advance(by:)."
      self.report("a ManualClock lets no time pass, because \(waiting) \(advice)")
    }
  }

  /// Moves to the next moment that has a wake, and performs the wake; returns false if there is none up to the limit.
  @discardableResult
  func moveToNext(notAfter limit: Instant?) -> Bool {
    wake(state.withLock { $0.schedule.takeNext(notAfter: limit) })
  }

  @discardableResult
  func wake(_ next: ClockSchedule.Wake?) -> Bool {
    guard let next else { return false }
    work.add {
      switch next {
      case .sleep(let continuation, _): continuation.resume()
      case .call(let call): call()
      }
    }
    return true
  }
}
