@testable import OperationFlow

/// A state machine and its model, which get the same inputs.
///
/// A simulation is a value, so a search copies it for each continuation.
struct Simulation: Sendable {
  /// The error of work that fails, with the index of its claim.
  struct Failure: Error { let claim: Int }

  struct Claim: Sendable {
    let index: Int
    let ticket: WorkTicket
    /// The work, with its step's number instead of the step's index in the blueprint.
    let work: RunWork
    /// The step's index in the blueprint.
    let step: Blueprint.StepID?
    let attempt: Int
    /// True if the claim delivers the result of an item that has ended.
    var isHanding = false
  }

  struct Timer: Sendable {
    let index: Int
    let id: TimerID
    /// The purpose of the timer.
    let use: ReferenceEffects.Timer
    let due: Int
  }

  let blueprint: SimulatedBlueprint
  private let paths: ReferencePaths
  private(set) var machine: SimulatedMachine
  private(set) var reference: ReferenceRun
  /// The claims that have not settled.
  var running: [Claim] = []
  /// The timers that are running.
  private(set) var timers: [Timer] = []
  var tickets: [WorkTicket] = []
  private(set) var timerIDs: [TimerID] = []
  private(set) var time = 0
  private var fraction = 0.0
  private(set) var inputCount = 0
  /// The number of claims that are possible now.
  private(set) var claimableCount = 0
  /// True if nothing can happen any more.
  private(set) var isOver = false

  init(_ flow: SimulatedFlow, fault: SimulatedMachine.Fault? = nil) {
    blueprint = SimulatedBlueprint(flow, fault: fault)
    paths = ReferencePaths(flow)
    machine = SimulatedMachine(blueprint.blueprint, flow, fault: fault)
    reference = ReferenceRun(paths)
  }

  var hasBegun: Bool { reference.hasBegun }
  var isPaused: Bool { reference.isPaused }

  /// The timers that are due.
  var dueTimers: [Timer] { timers.filter { $0.due <= time } }

  // MARK: Inputs

  /// Applies an input to the machine and the model; returns a complaint if they differ.
  ///
  /// A thorough check compares more, and needs more time.
  mutating func apply(_ input: SimulatedInput, isThorough: Bool = true) -> String? {
    inputCount += 1
    var complaint: String?
    switch input {
    case .begin:
      complaint = take(machine.begin(), reference.begin())
    case .refuse:
      machine.refuse(.usedTwice("op"))
      reference.refuse()
    case .cancel: complaint = take(machine.cancel(), reference.cancel())
    case .pause, .resume:
      machine.pause(input == .pause)
      reference.isPaused = input == .pause
    case .claim: complaint = claim()
    case .settle(let index): complaint = settle(index)
    case .claimNext(let index): complaint = settle(index, continues: true)
    case .permit(let index): complaint = permit(index)
    case .park(let index): complaint = park(index)
    case .unpark(let index): complaint = unpark(index)
    case .unparkHere(let index): complaint = unpark(index, isClaimed: true)
    case .unexpectedResult(let index): complaint = settle(index, isMisfit: true)
    case .advance: time = timers.lazy.map(\.due).filter { [time] in $0 > time }.min() ?? time
    case .fire(let index): complaint = fire(index)
    }
    if let complaint { return complaint }
    claimableCount = reference.claimableCount
    if let complaint = Self.compare(machine.state, reference, claimableCount) { return complaint }
    let wasOver = isOver
    isOver = reference.hasEnded && running.isEmpty && timers.isEmpty
    return isThorough || isOver && !wasOver ? checkAll() : nil
  }

  private mutating func claim() -> String? { take(machine.claim()) }

  /// Adds the claim that was offered, and compares it with the model.
  private mutating func take(_ offer: RunOffer?) -> String? {
    guard let offer else {
      return reference.claimableCount > 0 ? "nothing can be claimed" : nil
    }
    let (step, index) = (offer.work.step, tickets.count)
    let work = step.map { offer.work.of(blueprint.numbers[$0]) } ?? offer.work
    if let known = running.first(where: { $0.ticket == offer.ticket }) {
      return reference.claimAgain(known.index, work, attempt: offer.attempt) ? nil : "\(work) can be claimed again"
    }
    running.append(Claim(index: index, ticket: offer.ticket, work: work, step: step, attempt: offer.attempt))
    tickets.append(offer.ticket)
    guard reference.claim(work, attempt: offer.attempt) else {
      return "\(work) can be claimed, attempt \(offer.attempt)"
    }
    let starts = (offer.timers ?? []).filter { if case .start = $0 { true } else { false } }
    return take(starts, ReferenceEffects(started: reference.startsOfLastClaim))
  }

  private mutating func settle(_ index: Int, isMisfit: Bool = false, continues: Bool = false) -> String? {
    guard let place = running.firstIndex(where: { $0.index == index }) else {
      guard tickets.indices.contains(index) else { return nil }
      return take(machine.settle(tickets[index], .settled(.succeeded)).effects, ReferenceEffects())
    }
    if waitsForPermit(running[place]) { return nil }
    let continues = continues && reference.parking(of: index)?.isParked != true
    let claim = running.remove(at: place)
    let end = end(of: claim)
    let result = isMisfit ? Self.unexpectedResult(of: claim) : result(of: claim, end)
    let expected = isMisfit ? nil : reference.verdict(index, end)
    let timeout = machine.timeout(of: claim.ticket)
    let delivers = !isMisfit && reference.delivers(index, end)
    let decision = machine.settle(claim.ticket, result)
    if let expected, !claim.isHanding, reference.plan(of: claim.work) != nil,
      let complaint = checkDecision(decision, timeout, claim, expected)
    {
      return complaint
    }
    if let complaint = takeHanding(decision.handing, of: claim, isExpected: delivers) { return complaint }
    return take(decision.effects, reference.settle(index, isMisfit ? nil : end))
      ?? (continues ? take(machine.claimNext()) : nil)
  }

  private mutating func fire(_ index: Int) -> String? {
    guard timerIDs.indices.contains(index) else { return nil }
    guard let place = timers.firstIndex(where: { $0.index == index }) else {
      return take(machine.fire(timerIDs[index]), ReferenceEffects())
    }
    guard timers[place].due <= time else { return nil }
    let timer = timers.remove(at: place)
    return take(machine.fire(timer.id), reference.fire(timer.use))
  }

  // MARK: Parking, permits and deliveries

  /// Returns true if a claim can't end before it has a permit, unless it is cancelled.
  private func waitsForPermit(_ claim: Claim) -> Bool {
    reference.claims[claim.index].needsPermit && !reference.claims[claim.index].isCancelled
  }

  /// Returns the next input for a claim: it is resumed, claimed again, gets its permit, or ends.
  func next(for claim: Claim) -> SimulatedInput {
    if let parking = reference.parking(of: claim.index), parking.isParked {
      guard parking.isResumed else { return .unpark(claim.index) }
      return reference.holdsUserWork ? .resume : .claim
    }
    return waitsForPermit(claim) ? .permit(claim.index) : .settle(claim.index)
  }

  /// Parks a claim of a user's work.
  private mutating func park(_ index: Int) -> String? {
    guard let claim = running.first(where: { $0.index == index }), !claim.work.isBookkeeping else { return nil }
    let isParked = machine.park(claim.ticket)
    return isParked == reference.park(index) ? nil : "\(claim.work) is parked: \(isParked)"
  }

  private mutating func unpark(_ index: Int, isClaimed: Bool = false) -> String? {
    guard tickets.indices.contains(index) else { return nil }
    machine.resume(tickets[index])
    reference.resume(index)
    guard isClaimed else { return nil }
    let offer = machine.claim(tickets[index])
    let isOffered = !reference.holdsUserWork && reference.parking(of: index)?.isResumed == true
    if (offer != nil) != isOffered { return "\(index) is claimed again: \(offer != nil)" }
    return offer.flatMap { take($0) }
  }

  private mutating func permit(_ index: Int) -> String? {
    guard let claim = running.first(where: { $0.index == index }), waitsForPermit(claim) else { return nil }
    return take(machine.attemptBegins(claim.ticket), reference.permit(index))
  }

  /// Adds the claim that delivers the result of an item.
  private mutating func takeHanding(_ ticket: WorkTicket?, of item: Claim, isExpected: Bool) -> String? {
    guard let ticket else { return isExpected ? "no place is kept for a result" : nil }
    if !isExpected { return "a place is kept for no result" }
    let (work, index) = (item.work.handing, tickets.count)
    running.append(
      Claim(index: index, ticket: ticket, work: work, step: item.step, attempt: 1, isHanding: true))
    tickets.append(ticket)
    reference.claimHanding(of: item.index)
    return nil
  }

  // MARK: Results

  private func end(of claim: Claim) -> SimulatedFlow.End {
    let isParked = reference.parking(of: claim.index)?.isParked == true
    if isParked || reference.claims[claim.index].needsPermit { return .cancellation }
    if claim.work.kind == .pull, let step = claim.work.step {
      return reference.hasNextItem(step) || paths[step]?.group?.trouble != .pull ? .success : .failure
    }
    return paths.end(of: claim.work, attempt: claim.attempt)
  }

  private func result(of claim: Claim, _ end: SimulatedFlow.End) -> RunResult {
    let step = claim.work.step ?? 0
    // An attempt that has timed out fails, whatever it reports, unless it was cut off meanwhile.
    let isTimedOut = reference.claims[claim.index].isTimedOut && !reference.claims[claim.index].isCutOff
    return switch (end, claim.work.kind) {
    case _ where isTimedOut && !claim.isHanding, (.failure, _) where !claim.isHanding:
      reference.plan(of: claim.work).flatMap { Self.delay($0, claim.attempt, asked: end == .failure) }
        .map { .failed(Failure(claim: claim.index), retriedAfter: $0) }
        ?? .settled(.failed(Failure(claim: claim.index)))
    case (.failure, _): .settled(.failed(Failure(claim: claim.index)))
    case (.cancellation, _): .settled(.cancelled)
    case (.success, .check) where paths[step]?.condition == .unmet: .skipped
    case (.success, .pull): .pulled(isItem: reference.hasNextItem(step))
    case (.success, .choose), (.success, .enter), (.success, .plan):
      claim.step.map { blueprint.results[$0] } ?? .settled(.succeeded)
    case (.success, _): .settled(.succeeded)
    }
  }

  // MARK: Effects

  /// Applies the machine's effects; returns a complaint if the model expects others.
  private mutating func take(_ effects: [RunEffect], _ expected: ReferenceEffects) -> String? {
    if let complaint = takeCutOffResults(effects) { return complaint }
    if effects.isEmpty && expected.isEmpty { return nil }
    var asked = ReferenceEffects()
    // Timers are matched in the model's order, because an effect doesn't contain its timer's purpose.
    var starts = expected.started[...]
    for effect in effects {
      switch effect {
      case .cancel(let ticket):
        guard let claim = running.first(where: { $0.ticket == ticket }) else { return "cancels what does not run" }
        asked.cancelled.append(claim.index)
      case .abandon(let ticket):
        guard let claim = running.first(where: { $0.ticket == ticket }) else { return "abandons what does not run" }
        asked.abandoned.append(claim.index)
      case .start(let id, let time):
        guard let start = starts.popFirst(), time == .seconds(start.time) else {
          return "starts a timer of \(time), and the model \(expected.started)"
        }
        asked.started.append(start)
        timers.append(Timer(index: timerIDs.count, id: id, use: start.timer, due: self.time + start.time))
        timerIDs.append(id)
      case .deliver: break
      case .stop(let id):
        guard let place = timers.firstIndex(where: { $0.id == id }) else { return "stops what is not timed" }
        asked.stopped.append(timers.remove(at: place).use)
      case .retryDenied(let step): asked.denied.append(blueprint.numbers[step])
      case .groupStopped(let step):
        if asked.stoppedGroup != nil { return "a group stops twice" }
        asked.stoppedGroup = blueprint.numbers[step]
      case .combined(let step): asked.combined.append(blueprint.numbers[step])
      case .closed(let step): asked.closed.append(blueprint.numbers[step])
      // This effect ends only operations that exist before the run, and a simulation has none.
      case .partEnded: return "ends operations that there are none of"
      }
    }
    return compare(asked, expected)
  }

  private func compare(_ asked: ReferenceEffects, _ expected: ReferenceEffects) -> String? {
    if asked.cancelled.sorted() != expected.cancelled.sorted() {
      return "\(asked.cancelled) are cancelled, and not \(expected.cancelled)"
    }
    if Set(asked.stopped) != Set(expected.stopped) || asked.stopped.count != expected.stopped.count {
      return "the timers \(asked.stopped) are stopped, and not \(expected.stopped)"
    }
    if asked.started != expected.started { return "starts \(asked.started), and not \(expected.started)" }
    if asked.abandoned != expected.abandoned { return "abandons \(asked.abandoned), and not \(expected.abandoned)" }
    if asked.denied != expected.denied { return "denies a retry of \(asked.denied), and not of \(expected.denied)" }
    if asked.stoppedGroup != expected.stoppedGroup {
      return "the group \(asked.stoppedGroup as Any) stops, and not \(expected.stoppedGroup as Any)"
    }
    return compare(asked.combined, expected.combined, "combined") ?? compare(asked.closed, expected.closed, "closed")
  }

  /// Compares two lists of steps, in which each step must be before the steps that contain it.
  private func compare(_ steps: [Int], _ expected: [Int], _ word: String) -> String? {
    if steps.sorted() != expected.sorted() { return "\(steps) are \(word), and not \(expected)" }
    for (place, outer) in steps.enumerated() {
      for inner in steps[(place + 1)...] where paths.isStep(inner, within: outer) {
        return "\(outer) is \(word) before \(inner), which lies within it"
      }
    }
    return nil
  }

  // MARK: Checks

  /// Returns the first difference between the machine's state and the model.
  private static func compare(
    _ state: SimulatedMachine.State, _ reference: ReferenceRun, _ claimableCount: Int
  ) -> String? {
    if state.claimableCount != claimableCount { return "\(state.claimableCount) claimable, and not \(claimableCount)" }
    if state.runningCount != reference.runningCount {
      return "\(state.runningCount) running, and not \(reference.runningCount)"
    }
    if state.stepCount != reference.stepCount {
      return "\(state.stepCount) steps have begun, and not \(reference.stepCount)"
    }
    if state.hasEnded != reference.hasEnded { return state.hasEnded ? "has ended" : "has not ended" }
    let isAsItShould =
      switch (state.ending, reference.ending?.kind) {
      case (nil, nil), (.succeeded, .succeeded), (.cancelled, .cancelled): true
      case (.failed(let error), .failed): fits(error, reference.ending?.cause)
      default: false
      }
    return isAsItShould ? nil : "ends as \(state.ending as Any), and not as \(reference.ending as Any)"
  }

  private static func fits(_ error: any Error, _ cause: ReferenceRun.Ending.Cause?) -> Bool {
    switch cause {
    case .claim(let claim)?: (error as? Failure)?.claim == claim
    case .timeout?: (error as? FlowError)?.code == .timedOut
    case .unexpectedResult?: (error as? FlowError)?.code == .notImplemented
    case .deadline?: (error as? FlowError)?.code == .deadlineExceeded
    case .refusal?: (error as? FlowError)?.code == .operationUsedTwice
    case nil: false
    }
  }

  /// Returns the first complaint of the checks that need more time.
  private mutating func checkAll() -> String? {
    if machine.isStopping != (reference.ending != nil) { return machine.isStopping ? "is stopping" : "goes on" }
    let open = machine.openSteps.map { blueprint.numbers[$0] }
    if let complaint = compare(open, reference.openSteps, "open") { return complaint }
    return checkCancelled() ?? checkFraction() ?? checkClaimable()
  }

  private func checkCancelled() -> String? {
    for claim in running where machine.isStopping(claim.ticket) != (reference.claims[claim.index].isCancelled) {
      return "\(claim.work) is to stop: \(machine.isStopping(claim.ticket))"
    }
    return nil
  }

  private func checkDecision(
    _ decision: RunStateMachine.Decision, _ timeout: FlowError?, _ claim: Claim,
    _ expected: (isTimedOut: Bool, isFinal: Bool)
  ) -> String? {
    let (isTimedOut, isFinal) = (timeout?.code == .timedOut, decision.follow == .own)
    return isTimedOut == expected.isTimedOut && isFinal == expected.isFinal
      ? nil : "\(claim.work) is followed by \(decision.follow), timed out: \(isTimedOut), and not \(expected)"
  }

  private mutating func checkFraction() -> String? {
    let now = machine.fraction(reported: [:])
    defer { fraction = now }
    guard now >= 0, now <= 1, abs(now - reference.fraction(reported: 0)) < 1e-9 else {
      return "the progress is \(now), and not \(reference.fraction(reported: 0))"
    }
    // The progress may only decrease if the run fails or is cancelled.
    if reference.isSteady, now < fraction - 1e-9 { return "the progress goes from \(fraction) back to \(now)" }
    if reference.ending?.kind == .succeeded, now != 1 { return "succeeds with a progress of \(now)" }
    var reported: [WorkTicket: Double] = [:]
    for claim in running where claim.work.reportsProgress && !claim.isHanding { reported[claim.ticket] = 0.25 }
    guard !reported.isEmpty else { return nil }
    let (fraction, expected) = (machine.fraction(reported: reported), reference.fraction(reported: 0.25))
    return abs(fraction - expected) < 1e-9 ? nil : "with what runs, the progress is \(fraction), and not \(expected)"
  }

  /// Checks that as many claims can be made, one after the other, as the machine promises.
  private func checkClaimable() -> String? {
    var machine = machine
    var count = 0
    while count <= claimableCount, machine.claim() != nil { count += 1 }
    return count == claimableCount ? nil : "\(count) can be claimed, and not \(claimableCount)"
  }
}
