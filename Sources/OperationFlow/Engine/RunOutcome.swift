import Foundation

/// How a run ends: decided once, for all that wait for it.
struct RunOutcome: Sendable {
  private var waiters: [CheckedContinuation<FlowOutcome, Never>] = []
  /// Called at the end, on the main actor; it holds the flow, so it is released when the run ends.
  private var didFinish: (@MainActor @Sendable () -> Void)?
  /// The handle, which releases the run at its end; nothing has to hold it.
  var handle: WeakRun?
  /// The outcome; `nil` before the end.
  private(set) var current: FlowOutcome?

  init(didFinish: (@MainActor @Sendable () -> Void)?) { self.didFinish = didFinish }

  /// What to announce about the outcome, outside the lock.
  struct Announcement: Sendable {
    fileprivate let outcome: FlowOutcome
    fileprivate let waiters: [CheckedContinuation<FlowOutcome, Never>]
    fileprivate let didFinish: (@MainActor @Sendable () -> Void)?
    fileprivate let handle: WeakRun?
    fileprivate let progress: RunProgress?

    func make() {
      handle?.run?.end(outcome, progress)
      for waiter in waiters { waiter.resume(returning: outcome) }
      if let didFinish { Task { @MainActor in didFinish() } }
    }
  }

  /// The outcome, if there is one; otherwise the waiter is told of it later.
  mutating func wait(_ waiter: CheckedContinuation<FlowOutcome, Never>) -> FlowOutcome? {
    if current == nil { waiters.append(waiter) }
    return current
  }

  mutating func resolve(_ outcome: FlowOutcome, _ progress: RunProgress?) -> Announcement {
    defer { (waiters, didFinish, handle) = ([], nil, nil) }
    current = outcome
    return Announcement(
      outcome: outcome, waiters: waiters, didFinish: didFinish, handle: handle, progress: progress)
  }
}

extension FlowOutcome {
  /// The failure of a run whose steps have all succeeded.
  static func failed(_ report: FlowReport, with error: FlowError) -> FlowOutcome {
    var facts = report.facts
    facts.decide(
      .failed(
        FlowReport.Failure(
          name: FlowEvent.Source(report.flowName).description, path: nil, item: nil, attempt: 1, duration: .zero,
          error: error, isRefusal: false, step: nil)))
    return .failed(error, report.with(report.log, facts))
  }

  /// The same with another report.
  func with(_ report: FlowReport) -> FlowOutcome {
    switch self {
    case .succeeded: .succeeded(report)
    case .failed(let error, _): .failed(error, report)
    case .cancelled: .cancelled(report)
    }
  }
}

extension FlowReport {
  fileprivate func with(_ log: EventLog, _ facts: RunFacts) -> FlowReport {
    FlowReport(
      flowName: flowName, duration: duration, stepCount: stepCount, itemFailures: itemFailures, data: data, log: log,
      facts: facts)
  }

  /// The same with a warning after all events; unless one that the journal failed is there already.
  func warning(_ text: String, _ source: FlowEvent.Source, at date: Date) -> FlowReport {
    let isThere = events.contains { event in
      if case .warned(let text) = event.kind { text.contains("without its journal") } else { false }
    }
    if isThere { return self }
    var log = log
    let last = log.recorded.last
    log.append(
      RecordedEvent(
        date: max(date, last?.date ?? date), source: source, kind: .warned(text), number: (last?.number ?? -1) + 1))
    return with(log, facts)
  }
}
