import Foundation
import OperationFlow

/// The state of a run at a moment, for a view.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
struct RunLook: Sendable {
  var fraction: Double?
  var atWork: [String] = []
  var lines: [ObservedRun.Line] = []
  /// The outcome of the run, in the last look.
  var outcome: FlowOutcome?
}

/// Follows a run off the main actor, and delivers its state: once in an interval if it has changed, and at the end.
///
/// The follower's task retains it until the run ends or it is stopped.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
final class RunFollower: Sendable {
  private struct State: Sendable {
    /// The last lines as they were logged; up to twice as many as are shown, so that few have to be moved.
    var lines: [ObservedRun.Line] = []
    /// True if an event has arrived since the last look.
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

  /// The run's progress; `nil` if it isn't known.
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
      for await event in run.events { add(event) }
      tasks.cancelAll()
    }
    if Task.isCancelled { return }
    var look = look()
    look.outcome = await run.outcome
    look.fraction = fraction
    await show(look)
  }

  private func add(_ event: FlowEvent) {
    let line = lineLimit > 0 ? ObservedRun.Line(event, from: level) : nil
    state.withLock { state in
      state.hasNewEvents = true
      guard let line else { return }
      if state.lines.count / 2 == lineLimit { state.lines.removeFirst(lineLimit) }
      state.lines.append(line)
    }
  }

  /// Returns the run's state if it has changed: without events, only its progress can differ.
  private func changedLook() -> RunLook? {
    let fraction = fraction
    let isSame = state.withLock { !$0.hasNewEvents && $0.look.fraction == fraction }
    return isSame ? nil : look()
  }

  /// Returns the run's state, found outside the lock, because values may be asked for their texts.
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
