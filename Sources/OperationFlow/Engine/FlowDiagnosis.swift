import Foundation

/// What a run is doing at a moment: what runs since when, what waits for what, and for how long nothing has happened.
///
/// It answers why a run doesn't come to its end.
public struct FlowDiagnosis: Sendable, CustomStringConvertible {
  /// The flow's name.
  public fileprivate(set) var flowName: String
  /// When the diagnosis was made, on the run's clock.
  public let date: Date
  /// How long the run has been under way; `nil` if it has not begun.
  public let duration: Duration?
  /// How long nothing has been recorded.
  public let quietDuration: Duration
  /// Whether the run is held back by ``FlowRun/pause()``.
  public let isPaused: Bool
  /// Whether the run has ended, so that it waits for nothing.
  public let hasEnded: Bool
  /// What has begun and has not ended, the oldest first; the same as ``FlowRun/waitingFor``.
  public fileprivate(set) var waiting: [FlowRun.Waiting]

  /// How many lines describe what the run waits for.
  private static let limit = 20

  /// The diagnosis in lines: one for the run, and one for each of the first 20 things that it waits for.
  public var description: String {
    var lines = [head]
    lines += waiting.prefix(Self.limit).map { "  " + $0.text(at: date) }
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
    guard let duration else { return "\(name): has not begun; a will-start block may wait for the main thread" }
    return "\(name): under way for \(DurationText.of(duration)), last event \(DurationText.of(quietDuration)) ago"
  }
}

extension FlowRun {
  /// Returns what the run is doing now, for example to find out why it doesn't end.
  ///
  /// You can call it from any thread; it doesn't change anything. Names and paths hide what the record hides.
  ///
  /// - Returns: The diagnosis.
  public func diagnosis() -> FlowDiagnosis {
    let secrets = secrets
    var diagnosis = engine?.diagnosis ?? endedDiagnosis
    diagnosis.flowName = secrets.scrubbing(diagnosis.flowName)
    diagnosis.waiting = diagnosis.waiting.map { $0.scrubbing(secrets) }
    return diagnosis
  }

  private var endedDiagnosis: FlowDiagnosis {
    let date = recorder.lastDate
    return FlowDiagnosis(
      flowName: flowName, date: date, duration: currentOutcome?.report.duration, quietDuration: .zero, isPaused: false,
      hasEnded: true, waiting: [])
  }
}

extension RunEngine {
  fileprivate var diagnosis: FlowDiagnosis {
    let now = dates.now
    let (beganAt, hasEnded) = state.withLock { ($0.beganAt, $0.outcome.current != nil) }
    return FlowDiagnosis(
      flowName: flowName, date: now, duration: beganAt.map { dates.elapsed - $0 },
      quietDuration: .seconds(max(0, now.timeIntervalSince(max(recorder.lastDate, began(before: now))))),
      isPaused: isPaused, hasEnded: hasEnded, waiting: waitingFor)
  }

  /// When the run began; `now` if it has not.
  private func began(before now: Date) -> Date {
    state.withLock { $0.beganAt }.map { now.addingTimeInterval(-((dates.elapsed - $0) / .seconds(1))) } ?? now
  }
}

extension FlowRun.Waiting {
  /// What is waited for, and for how long.
  func text(at now: Date) -> String {
    let place = path.map { LineText.escaped($0.description) } ?? source.description
    let who = place + (item.map { ", item #\($0)" } ?? "") + (attempt > 1 ? ", attempt \(attempt)" : "")
    let what =
      switch reason {
      case .work where endsLater: "has said that it ends later, and has to finish"
      case .work: "runs"
      case .dependencies:
        "waits for operations that it depends on" + (dependencies.isEmpty ? "" : ": " + Self.listed(dependencies))
      case .limit:
        "waits for a permit of \(limiter ?? "a limiter")"
          + (keptBy.isEmpty ? "" : ", kept by abandoned work: " + Self.listed(keptBy))
      case .nextItem: "waits for the next element of its sequence"
      case .result: "has ended; its result has to be taken"
      case .nextAttempt: "waits before its next attempt"
      }
    return "\(who) \(what), for \(DurationText.of(.seconds(max(0, now.timeIntervalSince(since)))))"
  }

  private static func listed(_ all: [String]) -> String {
    let names = all.prefix(5).map(LineText.escaped).joined(separator: ", ")
    return names + (all.count > 5 ? " and \(all.count - 5) more" : "")
  }
}
