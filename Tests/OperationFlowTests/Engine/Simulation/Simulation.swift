@testable import OperationFlow

/// What somebody does to a state machine.
enum SimulatedInput: Sendable, Hashable {
  case begin, claim, cancel, pause, resume, refuse
  /// Settles a claim, the first of which is 0.
  case settle(Int)
}

/// A state machine at work, beside the model that says what it may do.
///
/// It is a value: where it goes on in several ways, each gets a copy.
struct Simulation: Sendable {
  /// The error of a piece of work that fails, by its claim.
  struct Failure: Error { let claim: Int }

  struct Claim: Sendable {
    let index: Int
    let work: RunWork
    /// The work with its step's number in place of its place in the blueprint.
    let numbered: RunWork
  }

  private let blueprint: SimulatedBlueprint
  private let path: ReferencePath
  private(set) var machine: SimulatedMachine
  private(set) var reference: ReferenceRun
  /// What is claimed and has not settled.
  private(set) var running: [Claim] = []
  private var claimCount = 0
  private var fraction = 0.0
  private(set) var inputCount = 0
  /// Whether the input is about more than an item, so that where the run stands may have changed.
  private var hasMoved = false

  init(_ blueprint: SimulatedBlueprint, _ path: ReferencePath, fault: SimulatedMachine.Fault? = nil) {
    self.blueprint = blueprint
    self.path = path
    machine = SimulatedMachine(blueprint.blueprint, fault: fault)
    reference = ReferenceRun(path)
  }

  /// Whether nothing can happen any more.
  var isOver: Bool { machine.hasEnded && running.isEmpty }

  var hasBegun: Bool { reference.hasBegun }
  var isPaused: Bool { reference.isPaused }

  /// Gives the machine an input, and says what is wrong with what it makes of it.
  mutating func apply(_ input: SimulatedInput) -> String? {
    inputCount += 1
    hasMoved = true
    var complaint: String?
    switch input {
    case .begin:
      machine.begin()
      reference.begin()
    case .refuse:
      machine.refuse(.usedTwice("op"))
      reference.refuse()
    case .cancel:
      let isExpected = reference.cancel()
      let reaction = machine.cancel()
      if reaction != (isExpected ? .cancelRunning : .none) { complaint = "cancel answers \(reaction)" }
    case .pause, .resume:
      machine.pause(input == .pause)
      reference.isPaused = input == .pause
    case .claim: complaint = claim()
    case .settle(let index): complaint = settle(index)
    }
    return complaint ?? check()
  }

  // MARK: Inputs

  private mutating func claim() -> String? {
    let (work, expected) = (machine.claim(), reference.claim())
    guard let work else { return expected.map { "\($0) can't be claimed" } }
    let claim = Claim(index: claimCount, work: work, numbered: numbered(work))
    claimCount += 1
    running.append(claim)
    if case .item = work { hasMoved = false }
    if claim.numbered == expected { return nil }
    return "\(claim.numbered) is claimed, and not \(expected.map { "\($0)" } ?? "nothing")"
  }

  private mutating func settle(_ index: Int) -> String? {
    guard let place = running.firstIndex(where: { $0.index == index }) else { return nil }
    let claim = running.remove(at: place)
    if case .item = claim.work { hasMoved = machine.isStopping }
    let end = end(of: claim.numbered)
    let reaction = machine.settle(claim.work, result(of: claim, end))
    let expected = reference.settle(claim.numbered, claim: index, end)
    return reaction == expected ? nil : "\(claim.numbered) is answered with \(reaction), and not \(expected)"
  }

  private func numbered(_ work: RunWork) -> RunWork {
    let numbers = blueprint.numbers
    return switch work {
    case .step(let step): .step(numbers[step])
    case .choose(let step): .choose(numbers[step])
    case .enter(let step): .enter(numbers[step])
    case .leave(let step): .leave(numbers[step])
    case .plan(let step): .plan(numbers[step])
    case .pull(let step): .pull(numbers[step])
    case .item(let step, let index): .item(numbers[step], index: index)
    case .collect(let step): .collect(numbers[step])
    case .finish: .finish
    }
  }

  private func end(of work: RunWork) -> SimulatedFlow.End {
    switch work {
    case .step(let step): path.ends[step] ?? .success
    case .plan(let step): path.groups[step]?.trouble == .plan ? .failure : .success
    case .collect(let step): path.groups[step]?.trouble == .collect ? .failure : .success
    case .pull(let step): reference.hasNextItem || path.groups[step]?.trouble != .pull ? .success : .failure
    case .item(let step, let index): item(index, of: step)
    case .choose, .enter, .leave, .finish: .success
    }
  }

  private func item(_ index: Int, of step: Int) -> SimulatedFlow.End {
    guard let items = path.groups[step]?.items, items.indices.contains(index) else { return .success }
    return items[index]
  }

  private func result(of claim: Claim, _ end: SimulatedFlow.End) -> RunResult {
    switch (end, claim.work) {
    case (.failure, _): .settled(.failed(Failure(claim: claim.index)))
    case (.cancellation, _): .settled(.cancelled)
    case (.success, .pull): .pulled(isItem: reference.hasNextItem)
    case (.success, .choose(let step)), (.success, .enter(let step)), (.success, .plan(let step)):
      blueprint.results[step]
    case (.success, _): .settled(.succeeded)
    }
  }

  // MARK: Checks

  /// What the machine says otherwise than the model.
  private mutating func check() -> String? {
    if machine.claimableCount != reference.claimableCount {
      return "\(machine.claimableCount) claimable, and not \(reference.claimableCount)"
    }
    if machine.runningCount != reference.runningCount {
      return "\(machine.runningCount) running, and not \(reference.runningCount)"
    }
    if machine.stepCount != reference.stepCount {
      return "\(machine.stepCount) steps have begun, and not \(reference.stepCount)"
    }
    if machine.hasEnded != reference.hasEnded { return machine.hasEnded ? "has ended" : "has not ended" }
    if machine.isStopping != (reference.ending != nil) { return machine.isStopping ? "is stopping" : "goes on" }
    if !endsAsItShould { return "ends as \(machine.ending as Any), and not as \(reference.ending as Any)" }
    return (hasMoved ? checkOpenFlows() : nil) ?? checkFraction()
  }

  private var endsAsItShould: Bool {
    switch (machine.ending, reference.ending?.kind) {
    case (nil, nil), (.succeeded, .succeeded), (.cancelled, .cancelled): true
    case (.failed(let error), .failed): (error as? Failure)?.claim == reference.ending?.claim
    default: false
    }
  }

  private func checkOpenFlows() -> String? {
    let (open, expected) = (machine.openFlows, reference.openFlows)
    if open.isEmpty && expected.isEmpty { return nil }
    let numbers = open.reversed().map { blueprint.numbers[$0] }
    return numbers == expected ? nil : "\(numbers) are open, and not \(expected)"
  }

  private mutating func checkFraction() -> String? {
    let now = machine.fraction(reported: 0)
    defer { fraction = now }
    guard now >= 0, now <= 1 else { return "the progress is \(now)" }
    // What fails leaves its place: only a run that goes on, or has succeeded, does not fall back.
    if reference.isSteady, now < fraction - 1e-9 { return "the progress goes from \(fraction) back to \(now)" }
    return reference.ending?.kind == .succeeded && now != 1 ? "succeeds with a progress of \(now)" : nil
  }

  /// Whether as much can be claimed, one after the other, as is said to be claimable.
  func checkClaimable() -> String? {
    var machine = machine
    var count = 0
    while count <= reference.claimableCount, machine.claim() != nil { count += 1 }
    return count == reference.claimableCount ? nil : "\(count) can be claimed, and not \(reference.claimableCount)"
  }
}
