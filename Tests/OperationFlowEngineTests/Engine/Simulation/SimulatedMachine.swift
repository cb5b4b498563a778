@testable import OperationFlow

/// The state machine, as it is or with one planted fault, which proves that the checks find such faults.
struct SimulatedMachine: Sendable {
  private var machine: RunStateMachine
  private let deadline: Duration?
  let fault: Fault?
  /// The ticket of the last claim.
  private var lastTicket: WorkTicket?
  /// The offer of the last undo.
  private var lastUndo: RunOffer?
  /// The number of claims of second and later attempts.
  private var retryCount = 0
  /// The effects that end steps, delayed until the run ends.
  private var withheld: [RunEffect] = []
  /// The number of skipped steps.
  private var skipCount = 0

  init(_ blueprint: Blueprint, _ flow: SimulatedFlow, fault: Fault?) {
    let least = fault == .ignoresTheBudget ? nil : flow.budget.map { fault == .hasALargerBudget ? $0 + 1 : $0 }
    let budget = least.map { FlowRetryBudget.share(Double(flow.budgetEighths) / 8, atLeast: $0) }
    machine = RunStateMachine(blueprint, retryBudget: budget ?? .unlimited)
    deadline = fault == .ignoresTheDeadline ? nil : flow.deadline.map { .seconds($0) }
    self.fault = fault
  }

  // MARK: Inputs

  mutating func begin() -> [RunEffect] { machine.begin(deadline: deadline) }
  mutating func refuse(_ error: FlowError) { machine.refuse(.failed(error)) }

  mutating func pause(_ isPaused: Bool) {
    if fault != .ignoresPause { machine.isPaused = isPaused }
  }

  mutating func cancel() -> [RunEffect] {
    switch fault {
    case .ignoresCancel: return []
    case .cancelsUndos:
      if let lastUndo, machine.work(of: lastUndo.ticket) != nil { return [.cancel(lastUndo.ticket)] }
      return machine.cancel()
    case .cancelsTwice: return machine.cancel() + (lastTicket.map { [.cancel($0)] } ?? [])
    case .closesAtTheDecision:
      let open = machine.tree.openSteps
      return machine.cancel().filter { if case .closed = $0 { false } else { true } } + open.map(RunEffect.closed)
    default: return altered(machine.cancel())
    }
  }

  mutating func claim() -> RunOffer? {
    guard let fault else { return machine.claim() }
    if fault == .pausesBookkeeping, machine.isPaused { return nil }
    if fault == .neverEnds, machine.ending != nil { return nil }
    guard let offer = machine.claim() else {
      guard fault == .endsTwice, machine.hasEnded, let lastTicket else { return nil }
      return RunOffer(ticket: lastTicket, work: .finish)
    }
    lastTicket = offer.ticket
    if offer.attempt > 1 { retryCount += 1 }
    let previousUndo = lastUndo
    if offer.work.kind == .undo { lastUndo = offer }
    switch (fault, offer.work.kind) {
    case (.repeatsAnUndo, .undo):
      return RunOffer(
        ticket: offer.ticket, work: previousUndo?.work ?? offer.work, attempt: offer.attempt, timers: offer.timers)
    case (.repeatsAnItem, .item):
      guard let step = offer.work.step, let index = offer.work.item, index > 0 else { return offer }
      return RunOffer(
        ticket: offer.ticket, work: RunWork(.item, of: step, item: index - 1), attempt: offer.attempt,
        timers: offer.timers)
    case (.skipsAFlow, .enter):
      _ = machine.settle(offer.ticket, .settled(.failed(TestError())))
      return claim()
    case (.looksAtNoCondition, .check):
      _ = machine.settle(offer.ticket, .settled(.succeeded))
      return claim()
    case (.skipsASuccess, .step):
      _ = machine.settle(offer.ticket, .settled(.succeeded))
      return claim()
    case (.startsNoTimer, _): return RunOffer(ticket: offer.ticket, work: offer.work, attempt: offer.attempt)
    case (.forgetsWhichAttempt, _):
      return RunOffer(ticket: offer.ticket, work: offer.work, timers: offer.timers)
    default: return offer
    }
  }

  mutating func settle(_ ticket: WorkTicket, _ result: RunResult) -> RunStateMachine.Decision {
    guard let fault, let work = machine.work(of: ticket) else { return settleAgain(ticket, result) }
    if case .skipped = result { skipCount += 1 }
    var decision = machine.settle(
      ticket,
      fault == .forgivesHandings && work.kind == .deliver ? .settled(.succeeded) : altered(work, result, by: fault))
    decision.effects = fault == .closesAtTheEnd ? closedLater(decision.effects, by: work) : altered(decision.effects)
    if fault == .keepsNoPlaceForResults, let handing = decision.handing {
      decision.effects += machine.settle(handing, .settled(.succeeded)).effects
    }
    return decision
  }

  /// Delays the ends of steps that were cut off until the run ends.
  private mutating func closedLater(_ effects: [RunEffect], by work: RunWork) -> [RunEffect] {
    let isClosed: (RunEffect) -> Bool = { if case .closed = $0 { true } else { false } }
    if machine.isStopping { withheld += effects.filter(isClosed) }
    defer { if work.kind == .finish { withheld = [] } }
    return machine.isStopping ? effects.filter { !isClosed($0) } + (work.kind == .finish ? withheld : []) : effects
  }

  /// Claims the next work for a lane that has settled some work.
  mutating func claimNext() -> RunOffer? {
    let offer = claim()
    return fault == .losesWhatComesNext ? nil : offer
  }

  mutating func attemptBegins(_ ticket: WorkTicket) -> [RunEffect] {
    fault == .timesNothingLimited ? [] : altered(machine.attemptBegins(ticket))
  }

  mutating func park(_ ticket: WorkTicket) -> Bool {
    machine.park(ticket) || fault == .parksWhatIsCancelled
  }

  mutating func resume(_ ticket: WorkTicket) {
    if fault != .resumesNothing { machine.resume(ticket) }
  }

  mutating func claim(_ ticket: WorkTicket) -> RunOffer? { machine.claim(ticket) }

  /// Settles work of a machine without a fault, or work that has settled before.
  private mutating func settleAgain(_ ticket: WorkTicket, _ result: RunResult) -> RunStateMachine.Decision {
    fault == .takesASecondResult
      ? RunStateMachine.Decision(effects: machine.cancel()) : machine.settle(ticket, result)
  }

  mutating func fire(_ timer: TimerID) -> [RunEffect] {
    switch fault {
    case .ignoresTimers: return []
    case .pausesTimers where machine.isPaused: return []
    case .forgetsTheTimeout:
      // The attempt is cancelled, but any result of it is accepted.
      var copy = machine
      let effects = copy.fire(timer)
      if effects.isEmpty { _ = machine.fire(timer) }
      return effects
    case .takesAStoppedTimer:
      var copy = machine
      let (count, effects) = (machine.claimableCount, copy.fire(timer))
      return effects.isEmpty && copy.claimableCount == count && !machine.isPaused
        ? machine.cancel() : machine.fire(timer)
    default: return altered(machine.fire(timer))
    }
  }

  // MARK: State

  /// The part of the state that is compared after each input.
  struct State: Sendable {
    var claimableCount: Int
    var runningCount: Int
    var stepCount: Int
    var hasEnded: Bool
    var ending: Settlement?
  }

  var state: State {
    // Without optimization, each access to a property of `self` would copy the machine.
    let machine = machine
    var state = State(
      claimableCount: machine.claimableCount, runningCount: machine.runningCount, stepCount: machine.stepCount,
      hasEnded: machine.hasEnded, ending: machine.ending)
    switch fault {
    case .offersTooMuch: state.claimableCount += 1
    case .offersNothing: state.claimableCount = 0
    case .resumesInAPause where machine.holdsUserWork: state.claimableCount += machine.parking.resumed.count
    case .losesWhatIsParked: state.runningCount -= machine.parking.count
    case .pausesBookkeeping where machine.isPaused: state.claimableCount = 0
    case .pausesUndos where machine.isPaused && machine.closing.part != nil: state.claimableCount = 0
    case .succeedsDespiteItsEnd: if machine.closing.part != nil { state.ending = .succeeded }
    case .endsBeforeAllHasSettled: state.hasEnded = machine.ending != nil
    case .endsWithTheLastFailure: if case .failed = machine.ending { state.ending = .failed(TestError()) }
    case .countsNoSteps: state.stepCount = 0
    case .countsASkippedStep: state.stepCount += skipCount
    case .countsEachAttempt: state.stepCount += retryCount
    default: break
    }
    return state
  }

  func fraction(reported: [WorkTicket: Double]) -> Double {
    switch fault {
    case .progressGoesBack: 1 - machine.fraction(reported: reported)
    case .progressIsTooMuch: machine.fraction(reported: reported) * 1.01
    default: machine.fraction(reported: reported)
    }
  }

  /// Returns the error of an attempt that has timed out.
  func timeout(of ticket: WorkTicket) -> FlowError? {
    // A recovery or an expiry has the failure of the last attempt, but isn't timed itself.
    let isTimed = machine.work(of: ticket).map { $0.attemptedWork == $0 && fault != .tellsNoTimeout } ?? false
    return isTimed ? machine.failure(of: ticket) as? FlowError : nil
  }

  var isStopping: Bool { machine.isStopping }
  func isStopping(_ ticket: WorkTicket) -> Bool { fault != .tellsNoCancel && machine.isStopping(ticket) }

  var openSteps: [Blueprint.StepID] {
    switch fault {
    case .losesOpenSteps: []
    case .opensOutermostFirst: machine.tree.openSteps.reversed()
    default: machine.tree.openSteps
    }
  }
}
