import Foundation
import OperationFlow

/// The state of a run at a moment: its running steps, what each waits for, and the time since the last event.
///
/// Use it to find out why a run doesn't end.
public struct FlowDiagnosis: Sendable, CustomStringConvertible {
  /// The flow's name.
  public let flowName: String
  /// The time of the diagnosis, on the run's clock.
  public let date: Date
  /// The time of the diagnosis, on the clock that also gives events their times and is never adjusted.
  private let time: Date
  /// The time since the run began, or its whole duration if it has ended; `nil` if the run has not begun.
  public let duration: Duration?
  /// The time since the last event.
  public let quietDuration: Duration
  /// True if the run is paused by `FlowRun.pause()`.
  public let isPaused: Bool
  /// True if the run has ended, so that it waits for nothing.
  public let hasEnded: Bool
  /// The steps and items that have begun and have not ended, the oldest first; the same as `FlowRun.waitingFor`.
  public let waiting: [FlowRun.Waiting]

  /// The most lines that list what the run waits for.
  private static let limit = 20

  fileprivate init(_ run: FlowRun) {
    let (engine, outcome) = (run.engine, run.currentOutcome)
    (flowName, isPaused, hasEnded) = (run.shownName, run.isPaused, outcome != nil)
    time = run.currentTime
    date = engine?.now ?? run.date(of: time)
    duration = engine?.duration ?? outcome?.report.duration
    let began = time.addingTimeInterval(-((duration ?? .zero) / .seconds(1)))
    quietDuration = engine == nil ? .zero : .seconds(max(0, time.timeIntervalSince(max(run.lastTime, began))))
    waiting = hasEnded ? [] : run.waitingFor
  }

  /// The diagnosis in lines: one for the run, and one for each of the first 20 things that it waits for.
  public var description: String {
    var lines = [head]
    lines += waiting.prefix(Self.limit).map { "  " + $0.text(at: time) }
    if waiting.count > Self.limit { lines.append("  … and \(waiting.count - Self.limit) more") }
    if isPaused { lines.append("  The run is paused, so nothing new begins. Call resume() to continue.") }
    if waiting.isEmpty, !hasEnded, !isPaused, duration != nil {
      lines.append("  Nothing is under way at this moment: the next step is about to begin.")
    }
    return lines.joined(separator: "\n")
  }

  private var head: String {
    let name = LineText.escaped(flowName)
    if hasEnded { return "\(name): has ended" }
    if waiting.first?.reason == .opening { return "\(name): has not continued yet" }
    guard let duration else { return "\(name): has not begun; a will-start block may wait for the main thread" }
    return "\(name): under way for \(DurationText.of(duration)), last event \(DurationText.of(quietDuration)) ago"
  }
}

extension FlowRun {
  /// Returns the current state of the run, for example to find out why it doesn't end.
  ///
  /// You can call it from any thread; it doesn't change anything. Sensitive values in names and paths are hidden, as in
  /// the record.
  ///
  /// - Returns: The diagnosis.
  public func diagnosis() -> FlowDiagnosis { FlowDiagnosis(self) }
}
