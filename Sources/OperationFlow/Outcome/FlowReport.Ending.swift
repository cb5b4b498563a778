extension FlowReport {
  /// The failure of a run, or of a step that always runs: its place and its error.
  public struct Failure: Sendable, CustomStringConvertible {
    package let work: ReportedWork

    /// The name of the step or item that failed, as a summary shows it, such as `[words #3]`.
    public var name: String { work.name }
    /// The place of the step in its flow; `nil` if no step caused the failure.
    public var path: FlowPath? { work.path }
    /// The index of the group's item; `nil` outside groups.
    public var item: Int? { work.item }
    /// The number of the attempt that failed, counted from 1.
    public var attempt: Int { work.attempt }
    /// The duration of that attempt; zero if it is unknown, such as after a resume, or if the flow was refused.
    public var duration: Duration { work.duration }
    /// True if the flow was refused, so that none of its steps ran.
    public var isRefusal: Bool { work.isRefusal }
    /// The error of the step; your own errors are unchanged.
    public var error: any Error { work.failure }
    package var step: Int? { work.step }

    /// The place of the failure and its error, as in the last line of a summary.
    public var description: String {
      if work.kind == .alwaysFailure { return "\(name) failed at the end: \(work.failureText)" }
      if isRefusal { return "refused: " + work.shown(ValueText.describe(error: error)) }
      let attempt = attempt > 1 ? " (attempt \(attempt))" : ""
      // The place is already shown, so only the problem and the remedy of the library's own errors are added.
      let text = (error as? FlowError).map { ValueText.cut(work.shown($0.advice)) } ?? work.failureText
      return "failed in \(name)\(attempt): \(text)"
    }
  }

  /// The cause of a run's cancellation.
  ///
  /// Later versions may add cases, so a `switch` over them needs a `default`.
  public enum Cancellation: Sendable, Hashable, CustomStringConvertible {
    /// ``FlowRun/cancel()`` or ``Flow/cancel()`` was called.
    case call
    /// The task that awaited ``Flow/run(with:)`` was cancelled.
    case task
    /// The run's `progress`, or a progress that contains it, was cancelled.
    case progress
    /// The process received a signal that ``FlowRun/cancel(onSignals:notifying:)`` waits for.
    case signal(FlowProcessSignal)
    /// A step, or a group's item, ended as cancelled by itself.
    indirect case step(name: String, path: FlowPath?, item: Int?)

    /// The cause of the cancellation, as in the last line of a summary.
    public var description: String {
      switch self {
      case .call: "cancelled by a call of cancel()"
      case .task: "cancelled by the task that awaited it"
      case .progress: "cancelled by its progress"
      case .signal(let signal): "cancelled by \(signal)"
      case .step(let name, _, _): "cancelled by \(name)"
      }
    }
  }

  /// A place where no case matched, so that the run, or the flow that is a step, ended as a success.
  public struct EarlyEnd: Sendable, CustomStringConvertible {
    /// The place of the cases.
    public let path: FlowPath
    /// The inner flow, or the branch of a parallel step, that ended; `nil` for the whole run.
    public let ended: FlowPath?
    /// The values of the keys, such as `<target> is <film>.`; sensitive values are shown as `<redacted>`.
    ///
    /// It is empty for a durable run that had ended before.
    public let held: String
    /// The steps after the cases, which never ran.
    public let skipped: [FlowPath]

    /// The place where the run ended, the values of the keys, and the number of steps that were skipped.
    public var description: String {
      let steps = ValueText.count(skipped.count, "step")
      return
        "ended early at \(path): \(held.isEmpty ? "" : held + " ")\(steps) \(skipped.count == 1 ? "was" : "were") skipped."
    }
  }

  /// True if the run had ended before this call, which returned that outcome again and ran nothing.
  ///
  /// Only a durable run can have ended before.
  public var hadEnded: Bool { facts.hadEnded }

  /// The failure of the run, with its place; `nil` unless the run failed.
  public var failure: Failure? { facts.failure.map(Failure.init) }

  /// The failure of a durable run before its journal could not be written; otherwise `nil`.
  ///
  /// In that case, ``failure`` is that of the journal. The run isn't over: its undos and the steps that always run are
  /// left to the resume.
  public var earlierFailure: Failure? { facts.journalFailure == nil ? nil : facts.decision?.failure.map(Failure.init) }

  /// The cause of the run's cancellation; `nil` unless it was cancelled.
  public var cancellation: Cancellation? {
    if facts.journalFailure == nil, case .cancelled(let cancellation)? = facts.decision { cancellation } else { nil }
  }

  /// The places where no case matched, in their order, with the steps that never ran because of it.
  public var earlyEnds: [EarlyEnd] { facts.allEarlyEnds }
}

extension RunFacts {
  fileprivate var allEarlyEnds: [FlowReport.EarlyEnd] {
    guard let table, !earlyEnds.isEmpty else { return [] }
    let states = StepStates(self, table)
    var skipped = [[FlowPath]](repeating: [], count: earlyEnds.count)
    for node in table.paths.outermostFirst where !table.paths.isBranch(node) {
      guard case .early(let index)? = states.absence(of: node), let path = table.paths.path(of: node) else { continue }
      skipped[index].append(path)
    }
    return zip(earlyEnds, skipped).map { early, skipped in
      FlowReport.EarlyEnd(
        path: table.paths.path(of: early.cases) ?? "",
        ended: table.nodeEnded(by: early.cases).flatMap(table.paths.path),
        held: early.held.map(\.text.text).joined(separator: " "), skipped: skipped)
    }
  }

  /// The rest of a summary's last line, after the success or failure of the run; can be empty.
  var endText: String {
    let text = journalFailure.map { "\(FlowReport.Failure(work: $0))" } ?? decision?.text
    guard let text else { return (allEarlyEnds.first { !$0.skipped.isEmpty }.map { ", \($0)" } ?? "") + closingText }
    guard journalFailure != nil, let decision else { return ", " + text + closingText }
    return ", \(text) Before that, it \(decision.failure == nil ? "was" : "had") \(decision.text)." + closingText
  }

  /// The part of a summary's last line about undos and about steps that always run; can be empty.
  private var closingText: String {
    let undos = notes(.undo)
    let undoneCount = undos.count { $0.error == nil }
    // The first failure at the end may be the failure of the whole run, which is shown already.
    let failures = notes(.alwaysFailure).filter { $0.step != decision?.failure?.step }
    let texts = ValueText.counts(["could not be undone": undos.count - undoneCount, "undone": undoneCount])
    return (texts + failures.map { "\(FlowReport.Failure(work: $0))" }).map { ", " + $0 }.joined()
  }
}

extension FlowReport {
  /// A step or an item that recovered from the failure of its last attempt, and so counts as succeeded.
  public struct Recovery: Sendable, CustomStringConvertible {
    package let work: ReportedWork

    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
    public var name: String { work.name }
    /// The index of the group's item; `nil` outside groups.
    public var item: Int? { work.item }
    /// The number of attempts.
    public var attempts: Int { work.attempt }
    /// The place of the step in its flow.
    public var path: FlowPath? { work.path }
    /// The error of the last attempt.
    public var error: any Error { work.failure }

    /// The name of the step or item, and the error from which it recovered.
    public var description: String { "\(name) recovered from \(work.failureText)" }
  }

  /// An undo of a step or an item, and its result.
  public struct Undo: Sendable, CustomStringConvertible {
    package let work: ReportedWork

    /// The name of the step or item, as a summary shows it, such as `[words #3]`.
    public var name: String { work.name }
    /// The index of the group's item; `nil` outside groups.
    public var item: Int? { work.item }
    /// The number of attempts.
    public var attempts: Int { work.attempt }
    /// The place of the step in its flow.
    public var path: FlowPath? { work.path }
    /// The error of the last attempt; `nil` if it succeeded.
    public var error: (any Error)? { work.error }

    /// The name of the step or item, and the reason if it could not be undone.
    public var description: String {
      error == nil ? "\(name) was undone" : "\(name) could not be undone: \(work.failureText)"
    }
  }

  /// A failure of a step that runs at the end in any case; if the step was cancelled, its error has the code
  /// `cancelled`.
  public typealias AlwaysFailure = Failure

  /// The steps and items that recovered from a failure, in the order in which they did.
  public var recoveries: [Recovery] { facts.notes(.recovery).map { Recovery(work: $0) } }

  /// The undos after a failure or a cancellation, in their order, with the error of each undo that failed.
  public var undos: [Undo] { facts.notes(.undo).map { Undo(work: $0) } }

  /// The failures of steps that run at the end in any case, in the order in which they happened.
  public var alwaysFailures: [AlwaysFailure] { facts.notes(.alwaysFailure).map { Failure(work: $0) } }
}
