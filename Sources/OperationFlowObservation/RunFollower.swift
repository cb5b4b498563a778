import Foundation
import OperationFlow

/// What a run looks like at a moment.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
struct RunLook: Sendable {
  var fraction: Double?
  var atWork: [String] = []
  var lines: [ObservedRun.Line] = []
  /// How it ended, in the last look.
  var outcome: FlowOutcome?
}

/// Follows a run off the main actor, and hands over what it looks like: once in an interval if that has changed, and at the end.
///
/// Its task keeps it until the run ends or it is stopped.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class RunFollower: Sendable {
  private struct State: Sendable {
    /// The last lines as they were logged; up to twice as many as are shown, so that few have to be moved.
    var lines: [ObservedRun.Line] = []
    /// Whether an event has come since the last look.
    var hasNewEvents = true
    var look = RunLook()
    var secrets = RunSecrets()
    var task: Task<Void, Never>?
  }

  /// The largest number of names.
  private static let nameLimit = 100

  private let run: FlowRun
  private let progress: RunProgress
  private let lineLimit: Int
  private let level: FlowLogLevel
  private let state = Locked(State())

  init(_ run: FlowRun, lines lineLimit: Int, from level: FlowLogLevel) {
    (self.run, self.lineLimit, self.level, progress) = (run, max(0, lineLimit), level, run.runProgress)
  }

  /// How far the run has come; `nil` if that isn't known.
  var fraction: Double? { progress.fraction }

  func start(
    every interval: Duration, on clock: any Clock<Duration>, show: @escaping @MainActor @Sendable (RunLook) -> Void
  ) {
    let task = Task.detached { await self.follow(every: interval, on: clock, show) }
    state.withLock { $0.task = task }
  }

  func stop() { state.withLock { $0.task }?.cancel() }

  private func follow(
    every interval: Duration, on clock: any Clock<Duration>, _ show: @escaping @MainActor @Sendable (RunLook) -> Void
  ) async {
    await withTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        while (try? await clock.sleep(for: interval)) != nil {
          if let look = self.changedLook() { await show(look) }
        }
      }
      for await event in run.events { note(event) }
      tasks.cancelAll()
    }
    if Task.isCancelled { return }
    var look = look()
    look.outcome = await run.outcome
    look.fraction = fraction
    await show(look)
  }

  private func note(_ event: FlowEvent) {
    let line = lineLimit > 0 ? ObservedRun.Line(event, from: level) : nil
    state.withLock { state in
      state.hasNewEvents = true
      guard let line else { return }
      if state.lines.count / 2 == lineLimit { state.lines.removeFirst(lineLimit) }
      state.lines.append(line)
    }
  }

  /// What the run looks like, if that has changed: without events, only its progress can have.
  private func changedLook() -> RunLook? {
    let fraction = fraction
    let isSame = state.withLock { !$0.hasNewEvents && $0.look.fraction == fraction }
    return isSame ? nil : look()
  }

  /// What the run looks like now; it may ask values for their texts, so it is found outside the lock.
  private func look() -> RunLook {
    var (lines, secrets) = state.withLock { state in
      state.hasNewEvents = false
      return (state.lines.suffix(lineLimit), state.secrets)
    }
    secrets.update(from: run)
    let names = run.waitingFor.map { secrets.scrubbing($0.source.description) }
    let look = RunLook(
      fraction: fraction, atWork: Array(names.prefix(Self.nameLimit)), lines: lines.map { $0.hiding(secrets) })
    state.withLock { ($0.look, $0.secrets) = (look, secrets) }
    return look
  }
}
