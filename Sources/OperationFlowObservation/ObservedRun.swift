import Observation
import OperationFlow

/// A run that a view can watch: its progress, its active steps, its last lines, and its outcome.
///
/// ```swift
/// struct RunView: View {
///   let run: ObservedRun
///
///   var body: some View {
///     VStack {
///       ProgressView(value: run.fractionCompleted)
///       Text(run.atWork.joined(separator: ", "))
///       Button("Cancel") { run.cancel() }
///     }
///   }
/// }
/// ```
/// Create it from a run that you have started: `ObservedRun(flow.start())`. Its properties change on the main actor, at
/// most 30 times a second, however fast the run is, and always once more at the end. Between two changes, the run is
/// followed off the main actor, without a blocked thread. Names and lines hide the values that the run's record hides.
///
/// It retains the run's handle, but the run doesn't retain the object. So following ends with the run, or when you
/// release the object. The run continues if you do: call ``cancel()`` if it shouldn't.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class ObservedRun {
  /// The progress of the run, from 0 to 1; `nil` while a group runs whose number of items isn't known.
  ///
  /// It is 1 when the run has succeeded. After a failure, it remains as it was, and it is 0 if no one had asked before.
  /// Pass it directly to a SwiftUI `ProgressView(value:)`.
  public private(set) var fractionCompleted: Double?

  /// The names of the steps and items that have begun and not ended, the oldest first, and at most 100.
  public private(set) var atWork: [String] = []

  /// The last lines of the run's log, the newest at the end.
  public private(set) var lines: [Line] = []

  /// True if new steps are paused by ``pause()``, on this object or on the run.
  public private(set) var isPaused: Bool

  /// The outcome of the run; `nil` until the run has ended and all other properties have their last values.
  public private(set) var outcome: FlowOutcome?

  /// The run.
  public nonisolated let run: FlowRun

  private nonisolated let follower: RunFollower

  /// Begins to follow a run, which may have ended already.
  ///
  /// An interval that is shorter than a screen's costs work that no one sees. An interval of less than a millisecond
  /// counts as one.
  ///
  /// - Parameters:
  ///   - run: The run, such as the result of `flow.start()`.
  ///   - interval: The shortest time between two changes, except for the last.
  ///   - clock: The clock that measures the interval.
  ///   - lineLimit: The largest number of lines.
  ///   - level: The least important level of a line.
  public init(
    _ run: FlowRun, every interval: Duration = .milliseconds(33), on clock: any Clock<Duration> = ContinuousClock(),
    lines lineLimit: Int = 100, from level: FlowLogLevel = .info
  ) {
    self.run = run
    follower = RunFollower(run, lines: lineLimit, from: level)
    fractionCompleted = follower.fraction
    isPaused = run.isPaused
    let interval = interval.clamped(to: .milliseconds(1) ... .longest)
    follower.start(every: interval, on: clock) { [weak self] in self?.show($0) }
  }

  deinit { follower.stop() }

  /// Cancels the run: nothing more starts, running work is cancelled, and the run ends once, as cancelled.
  public func cancel() { run.cancel() }

  /// Pauses new steps, and new items of groups, until ``resume()``; running work continues.
  public func pause() {
    run.pause()
    showPause()
  }

  /// Continues after ``pause()``.
  public func resume() {
    run.resume()
    showPause()
  }

  /// Copies only the values that differ, so that only the views that show them are updated.
  private func show(_ look: RunLook) {
    if look.fraction != fractionCompleted { fractionCompleted = look.fraction }
    if look.atWork != atWork { atWork = look.atWork }
    if look.lines != lines { lines = look.lines }
    showPause()
    if let end = look.outcome { outcome = end }
  }

  /// Reads the state from the run itself, because it may have been paused after the look.
  private func showPause() {
    let isNowPaused = run.isPaused
    if isNowPaused != isPaused { isPaused = isNowPaused }
  }
}
