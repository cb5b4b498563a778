import Observation
import OperationFlow

/// A run that a view can watch: how far it is, what is at work, its last lines, and how it ended.
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
/// most 30 times a second, however fast the run is, and once more at the end, which is never left out. Between two changes
/// the run is followed off the main actor, without a thread that waits. Names and lines hide what the run's record hides.
///
/// It keeps the run's handle, and the run doesn't keep it: following ends with the run, or when you release the object. A
/// run continues if you do, so call ``cancel()`` if it shouldn't.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor @Observable
public final class ObservedRun {
  /// The progress of the run, from 0 to 1; `nil` while a group runs whose number of items isn't known.
  ///
  /// It is 1 when the run has succeeded; after a failure, it stays as it was, and it is 0 if no one had asked before. A
  /// SwiftUI `ProgressView(value:)` takes it as it is.
  public private(set) var fractionCompleted: Double?

  /// The names of the steps and items that have begun and have not ended, the oldest first, and at most 100.
  public private(set) var atWork: [String] = []

  /// The last lines of the run's log, the newest at the end.
  public private(set) var lines: [Line] = []

  /// True if ``pause()`` holds back new steps, whatever has called it.
  public private(set) var isPaused: Bool

  /// The outcome of the run; `nil` until the run has ended and all other properties have their last values.
  public private(set) var outcome: FlowOutcome?

  /// The run.
  public nonisolated let run: FlowRun

  private nonisolated let follower: RunFollower

  /// Begins to follow a run, which may have ended already.
  ///
  /// A smaller interval than a screen's costs work that no one sees. An interval of less than a millisecond counts as one.
  ///
  /// - Parameters:
  ///   - run: The run, such as the one that `flow.start()` returns.
  ///   - interval: The least time between two changes, other than the last.
  ///   - clock: What the interval is measured with.
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

  /// Cancels the run: nothing more starts, what runs is cancelled, and it ends once, as cancelled.
  public func cancel() { run.cancel() }

  /// Holds back new steps, and new items of groups, until ``resume()``; running work continues.
  public func pause() {
    run.pause()
    showPause()
  }

  /// Continues after ``pause()``.
  public func resume() {
    run.resume()
    showPause()
  }

  /// Takes over what differs, so that only views that show it are updated.
  private func show(_ look: RunLook) {
    if look.fraction != fractionCompleted { fractionCompleted = look.fraction }
    if look.atWork != atWork { atWork = look.atWork }
    if look.lines != lines { lines = look.lines }
    showPause()
    if let end = look.outcome { outcome = end }
  }

  /// Asks the run itself, because it may have been paused since it was looked at.
  private func showPause() {
    let isNowPaused = run.isPaused
    if isNowPaused != isPaused { isPaused = isNowPaused }
  }
}
