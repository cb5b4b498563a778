import Foundation
import OperationFlow

/// Restores a run from the results of an earlier process: a new state machine claims the same work, and gets the same
/// results.
///
/// One task does this, before the run has lanes. Work that was running when the earlier process ended is claimed at the
/// end and not settled, so it is performed again.
struct RunRestoration {
  private let engine: RunEngine
  /// The run's identifier.
  private let id: String
  private let work: RestoredWork
  private let timers = RestoredTimers()
  /// The work that is claimed and not settled.
  private var open: [RunWork: Claim] = [:]
  /// The dates of failures that are followed by another attempt.
  private var failedAt: [RunWork: Date] = [:]
  /// The timers of the delays before the next attempts.
  private var delays: [RunWork: TimerID] = [:]
  private var starts = EarlierStarts()
  /// The claims of results that were being delivered, by their steps.
  private var held: [Int: Claim] = [:]

  /// The values that work left besides its result.
  struct Left {
    /// The name of the work in events; `nil` if it is the name in the flow.
    var name: String?
    var output: (any Sendable)?
    var hidesOutput = false
    /// Repeats the work's writes to the bucket; called once the work is claimed.
    var write: () throws -> Void = {}
  }

  init(_ engine: RunEngine, id: String) {
    (self.engine, self.id) = (engine, id)
    work = RestoredWork(engine)
  }

  /// Begins to restore the run; ``end()`` or ``interrupt()`` follows, and the run continues when the engine begins.
  func begin() { engine.beginRestoring(timers) }

  /// Ends the restoring after an error.
  func interrupt() { engine.endRestoring() }

  /// Ends the restoring when everything is restored.
  func end() {
    engine.endRestoring()
    starts.tellLimiters(now: engine.now)
  }

  /// The claimed work with which the run continues, and the timers with the time that is left of each.
  var rest: RunEngine.Rest {
    let now = engine.now
    var times = timers.started
    for (timer, time) in times {
      guard let delayed = engine.delayed(by: timer), let failed = failedAt[delayed.work] else { continue }
      // A delay is shorter by the time since the failure. It isn't longer if the clock was set back.
      let passed = Duration.seconds(max(0, now.timeIntervalSince(failed)))
      times[timer] = max(.zero, time - passed)
    }
    return (open.values.sorted { $0.ticket.place < $1.ticket.place } + held.values, times)
  }

  // MARK: Restoring

  /// Restores work that has succeeded, if claiming alone reaches it; returns false if anything else is needed.
  mutating func restoreAtOnce(_ kept: JournalSettlement, _ left: @autoclosure () throws -> Left) throws -> Bool {
    guard case .succeeded = kept.result, kept.work.kind != .deliver, kept.parts.claimed == nil,
      let claim = claim(kept.work)
    else {
      return false
    }
    try settle(claim, kept, try left())
    return true
  }

  /// Restores a settlement.
  mutating func restore(_ kept: JournalSettlement, _ left: @autoclosure () throws -> Left) async throws {
    // The work itself is found among them, because one of the claimed pulls may have pulled its item before.
    try await findAll((kept.parts.claimed ?? []) + (kept.parts.claimed == nil ? [] : [kept.work]))
    if kept.work.kind == .deliver {
      try left().write()
      return try deliver(kept)
    }
    if case .pulledAll(let count) = kept.result, let step = kept.work.step {
      try await pullAll(count, of: step)
    }
    guard let claim = try await find(kept.work) else { throw unexpectedResult }
    open[kept.work] = nil
    try settle(claim, kept, try left())
  }

  /// Claims the begun attempts whose effects are uncertain, before anything can decide the run's end.
  mutating func find(_ begun: [JournalBegin]) async throws {
    for begin in begun {
      guard let step = begin.work.step, work.blueprint.steps.indices.contains(step),
        work.blueprint.steps[step].options?.undo?.isForUncertain == true
      else { continue }
      guard let claim = try await find(begin.work, endsUnbegun: false) else { continue }
      if claim.attempt == begin.attempt { engine.setBegun(claim, true) }
    }
  }

  /// Fails an attempt in which the last process ended, and returns its entry; another attempt follows if any is left.
  ///
  /// It returns `nil` for work that the run's end has cut off: such work is cancelled when the run continues.
  mutating func interrupt(_ begun: JournalBegin, _ count: Int) async throws -> JournalSettlement? {
    guard let step = begun.work.step, work.blueprint.steps.indices.contains(step),
      let claim = try await find(begun.work, endsUnbegun: false),
      claim.attempt == begun.attempt || claim.work.kind == .undo,
      !engine.isStopping(claim.ticket)
    else { return nil }
    let limit = engine.beginLimit(of: begun.work, step)
    let (error, delay) = (FlowError.processEnded(count), begun.attempt < limit ? Duration.zero : nil)
    var kept = JournalSettlement(
      date: begun.date, work: begun.work, attempt: begun.attempt, result: .failed(error, retriedAfter: delay))
    open[begun.work] = nil
    let (others, wasStopping) = (open.values.filter { $0.work.kind != .deliver }, engine.isStopping)
    try settle(claim, kept, Left())
    let isCutOff = engine.isStopping && !wasStopping || others.contains { engine.isStopping($0.ticket) }
    if delay == nil, isCutOff { kept.parts.claimed = others.map(\.work) }
    return kept
  }

  /// Restores a decision from outside the run's steps.
  mutating func restore(_ decision: JournalDecision) async throws {
    try await findAll(decision.claimed)
    engine.decide(decision.error, FlowReport.Cancellation(decision.cause), at: decision.date)
  }

  // MARK: Claiming

  /// Claims the work that was running at a moment: first everything else, and then the pulls.
  private mutating func findAll(_ claimed: [RunWork]) async throws {
    for isPull in [false, true] {
      for work in claimed where work.kind != .deliver && (work.kind == .pull) == isPull { _ = try await find(work) }
    }
  }

  /// Claims work until a piece of work is reached; returns `nil` if it never is.
  private mutating func find(_ wanted: RunWork, endsUnbegun: Bool = true) async throws -> Claim? {
    while true {
      if let claim = open[wanted] { return claim }
      if let claim = engine.claimNext() {
        open[claim.work] = claim
        continue
      }
      if try await pull(for: wanted) { continue }
      if fireTimer(for: wanted) { continue }
      if endsUnbegun, settleWhatNeverBegan() { continue }
      return nil
    }
  }

  /// Claims a piece of work, and all work before it; returns `nil` if something has to happen first.
  private mutating func claim(_ wanted: RunWork) -> Claim? {
    if !open.isEmpty, let claim = open.removeValue(forKey: wanted) { return claim }
    while let claim = engine.claimNext() {
      if claim.work == wanted { return claim }
      open[claim.work] = claim
    }
    return nil
  }

  /// Pulls the next item of a sequence if an item of it is wanted; returns false if that doesn't help.
  private mutating func pull(for wanted: RunWork) async throws -> Bool {
    guard let step = wanted.step, let item = wanted.item else { return false }
    // The next attempt at a pulled item needs no other item.
    if let count = engine.withGroup(step, { $0.pulledCount }), item < count { return false }
    return try await pullNext(of: step)
  }

  /// Pulls the items that a sequence had before its end, including those that have no entries yet.
  private mutating func pullAll(_ count: Int, of step: Int) async throws {
    while engine.withGroup(step, { $0.pulledCount }) ?? count < count {
      if let claim = engine.claimNext() {
        open[claim.work] = claim
        continue
      }
      guard try await pullNext(of: step) else { throw unexpectedResult }
    }
  }

  private mutating func pullNext(of step: Int) async throws -> Bool {
    let pull = RunWork(.pull, of: step)
    guard let claim = open[pull], let stream = engine.withGroup(step, { $0.stream }) ?? nil else {
      return false
    }
    let item: (any Sendable)? =
      switch stream.next() {
      case .item(let item): item
      case .end: nil
      case .later(let wait): try await wait()
      }
    guard let item else { throw FlowError.shorterSequence(work.blueprint.steps[step].name) }
    open[pull] = nil
    engine.performer.settlePull(claim, step, item, lane: .none)
    return true
  }

  /// Fires the timer that fired before work with an entry; returns false if there is none.
  private func fireTimer(for work: RunWork) -> Bool {
    let attempted = work.attemptedWork
    guard let delay = delays[attempted], let delayed = engine.delayed(by: delay), delayed.work == attempted else {
      return false
    }
    var timer: TimerID? = delay
    if work.kind == .expire { timer = delayed.totalTimer }
    guard let timer else { return false }
    timers.stop(timer)
    engine.fire([timer])
    return true
  }

  /// Cancels work that was claimed here before the run's end was decided, but that the earlier process hadn't claimed.
  private mutating func settleWhatNeverBegan() -> Bool {
    guard engine.isStopping else { return false }
    let claims = open.filter { engine.isStopping($0.value.ticket) }
    for (work, claim) in claims {
      open[work] = nil
      engine.end(claim, .settled(.cancelled), lane: .none)
      markRestored(work, at: nil)
    }
    return !claims.isEmpty
  }

  private var unexpectedResult: FlowError {
    let id = "\"" + ValueText.name(id) + "\""
    return FlowError(
      .unreadableJournal, "the journal of the run \(id) has results of work that the flow doesn't come to",
      remedy: "Resume it with the flow that began it, or start a new run under another id.")
  }

  // MARK: Settling

  private mutating func deliver(_ kept: JournalSettlement) throws {
    for ready in engine.takeReadyResults(whileRestored: true) { if let step = ready.work.step { held[step] = ready } }
    guard let step = kept.work.step, let ready = held.removeValue(forKey: step), ready.work == kept.work
    else {
      throw unexpectedResult
    }
    engine.handingDidEnd(ready, kept.result.settlement)
  }

  private mutating func settle(_ claim: Claim, _ kept: JournalSettlement, _ left: Left) throws {
    try left.write()
    // These are the timers of an attempt that had to wait before it began.
    if work.blueprint.has(.timed) { engine.beginTimers(of: claim.ticket) }
    try work.settle(claim, kept, left)
    markRestored(claim.work, at: kept.date == .distantPast ? nil : kept.date)
    if case .failed(_, .some) = kept.result {
      failedAt[claim.work] = kept.date
      delays[claim.work] = timers.latest
    }
    if work.blueprint.has(.limits), claim.work.isAttempt, let step = claim.work.step,
      let limiters = work.blueprint.steps[step].options?.limiters
    {
      starts.add(kept, limiters)
    }
  }

  /// Records that the step's state is from before the resume, so that no report shows the time of restoring it.
  private func markRestored(_ work: RunWork, at date: Date?) {
    guard let step = work.step else { return }
    engine.withFacts { $0.steps[step].markRestored(at: date) }
  }
}

extension StepFact {
  fileprivate mutating func markRestored(at date: Date?) {
    switch state {
    case .waiting: break
    case .running: time = .nan
    case .succeeded, .failed, .cancelled, .skipped, .neverRan:
      // The step may be undone later, which doesn't count.
      if isRestored { return }
      isRestored = true
      time = date?.timeIntervalSinceReferenceDate ?? .nan
    }
  }
}

extension RunEngine {
  /// Returns how many attempts at some work may begin if the process ends in each of them.
  func beginLimit(of work: RunWork, _ step: Int) -> Int {
    let options = blueprint.steps[step].options
    let plan = work.kind == .undo ? options?.undo?.attempts : options?.attempts
    return plan?.beginLimit ?? AttemptPlan.uncountedBeginLimit
  }

  /// Returns a value that an inner flow adds when it is entered; `nil` if there is none.
  func value(named name: String, broughtBy work: RunWork) -> (any Sendable)? {
    guard work.kind == .enter, let step = work.step, case .flow(_, let data, _) = blueprint.steps[step].kind else {
      return nil
    }
    return data[name]
  }
}

extension FlowError {
  fileprivate static func shorterSequence(_ step: String) -> FlowError {
    FlowError(
      .changedFlow, "the sequence of \(step) has fewer items than it had when the run began",
      remedy: "Give a durable run sequences that have the same items each time they are iterated.", step: step)
  }

  static func otherItems(_ step: String, _ old: Int?, _ new: Int?) -> FlowError {
    let count = { (count: Int?) in count.map { "\($0)" } ?? "an unknown number of" }
    return FlowError(
      .changedFlow, "\(step) has \(count(new)) items, and had \(count(old)) when the run began",
      remedy: "Let the items come from the data bucket, or from steps of the run, so that they are restored with it.",
      step: step)
  }

  static let unreadableEntry = FlowError(
    .unreadableJournal, "an entry of the run's journal can't be understood",
    remedy: "Resume the run with the version of the library that wrote it, or remove its journal from the store.")
}
