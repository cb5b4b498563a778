extension FlowReport {
  /// Where and with what a run failed.
  public struct Failure: Sendable, CustomStringConvertible {
    /// What failed, as a summary shows it, such as `[words #3]`.
    public let name: String
    /// The place of the step in its flow; `nil` if no step is to blame.
    public internal(set) var path: FlowPath?
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the attempt that failed, counted from 1.
    public let attempt: Int
    /// How long that attempt took; zero if the flow was refused, or if that was before the resume of a durable run.
    public let duration: Duration
    /// The error that it failed with, unchanged even if it is of a type of your own.
    public internal(set) var error: any Error
    /// The error's text as it was made when it came; `nil` for an error that is asked for it.
    package var errorText: String?
    /// Whether the flow was refused, so that nothing of it ran.
    public let isRefusal: Bool
    /// The step's place in its blueprint.
    package let step: Int?

    /// A copy without what is sensitive.
    func hiding(_ hidden: HiddenNames, _ paths: PathTable?) -> Failure {
      var failure = self
      failure.path = path?.shown(by: paths)
      if case .failed(let error) = Settlement.failed(error).hiding(hidden, paths) { failure.error = error }
      return failure
    }

    /// Where it failed, and with what, as the last line of a summary says it.
    public var description: String {
      guard !isRefusal else { return "refused: " + ValueText.describe(error: error) }
      let attempt = attempt > 1 ? " (attempt \(attempt))" : ""
      // The place is already shown, so only the rest of our own errors is.
      let text = (error as? FlowError).map { ValueText.cut($0.advice) } ?? errorText ?? ValueText.describe(error: error)
      return "failed in \(name)\(attempt): \(text)"
    }
  }

  /// What cancelled a run.
  ///
  /// Later versions may add cases, so a `switch` over them needs a `default`.
  public enum Cancellation: Sendable, Hashable, CustomStringConvertible {
    /// ``FlowRun/cancel()`` or ``Flow/cancel()`` was called.
    case call
    /// The task that awaited ``Flow/run(with:)`` was cancelled.
    case task
    /// ``FlowRun/progress`` was cancelled, or a progress that contains it.
    case progress
    /// A step, or a group's item, ended as cancelled by itself.
    case step(name: String, path: FlowPath?, item: Int?)

    /// What cancelled the run, as the last line of a summary says it.
    public var description: String {
      switch self {
      case .call: "cancelled by a call of cancel()"
      case .task: "cancelled by the task that awaited it"
      case .progress: "cancelled by its progress"
      case .step(let name, _, _): "cancelled by \(name)"
      }
    }
  }

  /// A place where no case matched, so that the run, or the flow that is a step, ended there as a success.
  public struct EarlyEnd: Sendable, CustomStringConvertible {
    /// The place of the cases.
    public let path: FlowPath
    /// What ended: a flow that is a step, or a branch of a parallel step; `nil` for the whole run.
    public let ended: FlowPath?
    /// What the keys held, such as `<target> is <film>.`; sensitive values are shown as `<redacted>`.
    public let held: String
    /// The steps after the cases, which never ran.
    public let skipped: [FlowPath]

    /// Where it ended, what the keys held, and how many steps were skipped.
    public var description: String {
      let steps = skipped.count == 1 ? "1 step was" : "\(skipped.count) steps were"
      return "ended early at \(path): \(held) \(steps) skipped."
    }
  }

  /// Where the run failed, and with what; `nil` unless it failed.
  public var failure: Failure? {
    facts.decision?.failure
  }

  /// What a durable run had failed with before its journal could not be written; `nil` otherwise.
  ///
  /// ``failure`` is that of the journal then. The run isn't over: its undos and what always runs are left to the resume.
  public var earlierFailure: Failure? { facts.decision?.earlier?.failure }

  /// What cancelled the run; `nil` unless it was cancelled.
  public var cancellation: Cancellation? {
    if case .cancelled(let cancellation)? = facts.decision { cancellation } else { nil }
  }

  /// The places where no case matched, in the order in which that happened, with the steps that never ran because of
  /// it.
  public var earlyEnds: [EarlyEnd] { facts.allEarlyEnds }
}

extension RunDecision {
  /// The decision as the end of a sentence about the run.
  fileprivate var text: String {
    switch self {
    case .failed(let failure), .journalFailed(let failure, _): "it had \(failure)"
    case .cancelled(let cancellation): "it was \(cancellation)"
    }
  }
}

extension RunFacts {
  /// The early ends as users see them.
  var allEarlyEnds: [FlowReport.EarlyEnd] {
    guard let table, !earlyEnds.isEmpty else { return [] }
    var states = StepStates(self, table)
    var skipped = [[FlowPath]](repeating: [], count: earlyEnds.count)
    for node in table.paths.outermostFirst where !table.paths.isBranch(node) {
      guard case .early(let index)? = states.absence(of: node), let path = table.paths.path(of: node) else { continue }
      skipped[index].append(path)
    }
    return zip(earlyEnds, skipped).map { early, skipped in
      let ended = states.endedNode(by: early.cases)
      return FlowReport.EarlyEnd(
        path: table.paths.path(of: early.cases) ?? "", ended: ended < 0 ? nil : table.paths.path(of: ended),
        held: early.held.map(\.shown).joined(separator: " "), skipped: skipped)
    }
  }

  /// What the last line of a summary says after whether the run succeeded; empty if there is nothing to say.
  var endText: String {
    let text =
      switch decision {
      case .failed(let failure): ", \(failure)"
      case .cancelled(let cancellation): ", \(cancellation)"
      case .journalFailed(let failure, let earlier):
        ", \(failure)" + (earlier.map { " Before that, \($0.text)." } ?? "")
      case nil: allEarlyEnds.first { !$0.skipped.isEmpty }.map { ", \($0)" } ?? ""
      }
    return text + closingText
  }
}

extension FlowReport.Failure {
  /// The failure of a flow as a whole, for which no step is to blame.
  init(
    ofFlow flowName: String, _ error: any Error, path: FlowPath? = nil, after duration: Duration = .zero,
    isRefusal: Bool = false
  ) {
    self.init(
      name: FlowEvent.Source(flowName).description, path: path, item: nil, attempt: 1, duration: duration, error: error,
      isRefusal: isRefusal, step: nil)
  }
}
