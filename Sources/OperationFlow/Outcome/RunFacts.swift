import Foundation

/// The state of a step.
package enum StepState: Sendable {
  /// The run is under way, and has not reached it.
  case waiting
  /// It has begun, and has not ended.
  case running
  case succeeded, failed, cancelled
  /// Its condition was not met, or it is in a branch that was not taken.
  case skipped
  /// The run ended before it.
  case neverRan

  init(_ settlement: Settlement) {
    switch settlement {
    case .succeeded: self = .succeeded
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}

/// What a run keeps about one step, in 16 bytes.
struct StepFact: Sendable {
  /// When it began, in seconds, while it is open; how long it took, once it has ended; not a number if that isn't known.
  ///
  /// For a step that was restored it is when it ended.
  var time = 0.0
  /// Which branch a cases step has taken; -1 for none.
  var branch: Int32 = -1
  /// How many attempts it had beyond the first.
  var retryCount: UInt16 = 0
  var state = StepState.waiting
  /// Whether it had ended before the run was resumed.
  var isRestored = false

  /// How many attempts it had.
  var attempts: Int { state == .waiting || state == .skipped ? 0 : Int(retryCount) + 1 }
}

/// What a run keeps about a group's items.
struct ItemFacts: Sendable {
  /// How many there were; `nil` if they come from a sequence that was not read to its end.
  var total: Int?
  var succeeded = 0
  var failed = 0
  var cancelled = 0
  /// How many have failed and wait for another attempt, which doesn't come if the run has ended.
  var unfinished = 0
  /// The outputs, if the group did not complete.
  var partialOutputs: (any ItemOutputs)?
  /// The name that they would have been written under, if it is known.
  var outputName: String?
}

/// What decided that a run does not succeed; it is large and rarely there, so it is stored separately.
package indirect enum RunDecision: Sendable {
  case failed(FlowReport.Failure)
  case cancelled(FlowReport.Cancellation)
  /// The journal of a durable run can't be written, whatever the run would have ended with, which comes after it.
  case journalFailed(FlowReport.Failure, RunDecision?)

  /// Where and with what the run failed; `nil` if it was cancelled.
  @inline(never)
  var failure: FlowReport.Failure? {
    switch self {
    case .failed(let failure), .journalFailed(let failure, _): failure
    case .cancelled: nil
    }
  }

  /// What had decided the end before the journal could not be written.
  var earlier: RunDecision? { if case .journalFailed(_, let earlier) = self { earlier } else { nil } }

  fileprivate mutating func hide(_ hidden: HiddenNames, _ paths: PathTable?) {
    switch self {
    case .failed(var failure):
      failure.hide(hidden, paths)
      self = .failed(failure)
    case .cancelled: break
    case .journalFailed(var failure, var earlier):
      failure.hide(hidden, paths)
      earlier?.hide(hidden, paths)
      self = .journalFailed(failure, earlier)
    }
  }
}

/// What became of a run's steps and items: exact, whatever its record keeps.
///
/// A run changes it under its lock. For a step it costs a store at its end, for an item a count.
package struct RunFacts: Sendable {
  /// Cases of which none matched, with what their keys held.
  struct EarlyEnd: Sendable {
    let cases: Int
    /// What each key held, as a sentence.
    var held: [RedactableTexts.Part]
  }

  /// The steps' names and kinds; `nil` if there are none to speak of.
  private(set) var table: StepTable?
  private(set) var steps: [StepFact]
  private(set) var endedAt = 0.0
  /// What many runs don't have, once or not at all.
  ///
  /// A copy of the facts counts one reference for all of it.
  private var rare: [Rare] = []

  private struct Rare: Sendable {
    var items: [Int: ItemFacts] = [:]
    var earlyEnds: [EarlyEnd] = []
    var decision: RunDecision?
    var recoveries: [FlowReport.Recovery] = []
    var undos: [FlowReport.Undo] = []
    var alwaysFailures: [FlowReport.AlwaysFailure] = []
  }

  var items: [Int: ItemFacts] { rare.first?.items ?? [:] }
  var earlyEnds: [EarlyEnd] { rare.first?.earlyEnds ?? [] }
  var decision: RunDecision? { rare.first?.decision }
  var recoveries: [FlowReport.Recovery] { rare.first?.recoveries ?? [] }
  var undos: [FlowReport.Undo] { rare.first?.undos ?? [] }
  var alwaysFailures: [FlowReport.AlwaysFailure] { rare.first?.alwaysFailures ?? [] }

  @inline(__always)
  init(_ table: StepTable?) {
    self.table = table
    steps = Array(repeating: StepFact(), count: table?.kinds.count ?? 0)
  }

  /// Facts without steps.
  package init() { self.init(nil) }

  /// Whether the run has reached a step, which it may have skipped.
  func hasBegun(_ step: Int) -> Bool { steps[step].state != .waiting }

  /// Whether a step's condition was not met.
  func wasSkipped(_ step: Int) -> Bool { steps[step].state == .skipped }

  // MARK: Changing it

  /// Changes what many runs don't have, in its place.
  private mutating func changeRare(_ change: (inout Rare) -> Void) {
    if rare.isEmpty { rare.append(Rare()) }
    change(&rare[0])
  }

  /// Notes that a step that takes more than one piece of work begins; an attempt after the first is counted.
  mutating func open(_ step: Int, attempt: Int, at time: Double) {
    if steps[step].state == .running {
      steps[step].retryCount = UInt16(clamping: attempt - 1)
    } else {
      steps[step] = StepFact(time: time, state: .running)
    }
  }

  /// Notes that something follows a step's attempt, so that the step goes on.
  mutating func openAgain(_ step: Int, attempts: Int, began: Double) {
    if steps[step].state != .running { steps[step] = StepFact(time: began, state: .running) }
    steps[step].retryCount = UInt16(clamping: attempts - 1)
  }

  package mutating func note(_ recovery: FlowReport.Recovery) { changeRare { $0.recoveries.append(recovery) } }

  package mutating func note(_ undo: FlowReport.Undo) { changeRare { $0.undos.append(undo) } }

  package mutating func note(_ failure: FlowReport.AlwaysFailure) { changeRare { $0.alwaysFailures.append(failure) } }

  /// Notes that a step has ended; one that was not opened began at the given time.
  @inline(__always)
  mutating func close(_ step: Int, _ state: StepState, began: Double, at time: Double) {
    let passed = time - (steps[step].state == .running ? steps[step].time : began)
    // What isn't a number stays what it is.
    steps[step].time = passed < 0 ? 0 : passed
    steps[step].state = state
  }

  /// Notes that what became of a step until now was before the run was resumed; `date` is when, if that is known.
  mutating func noteRestored(_ step: Int, at date: Date?) {
    switch steps[step].state {
    case .waiting: break
    case .running: steps[step].time = .nan
    case .succeeded, .failed, .cancelled, .skipped, .neverRan:
      // Its undo may come later, which doesn't count.
      guard !steps[step].isRestored else { return }
      steps[step].isRestored = true
      steps[step].time = date?.timeIntervalSinceReferenceDate ?? .nan
    }
  }

  /// Forgets the steps, of which nothing is known.
  mutating func forgetSteps() { (table, steps) = (nil, []) }

  /// Notes that a step has ended, unless it has already.
  mutating func closeOpen(_ step: Int, _ state: StepState, at time: Double) {
    if steps[step].state == .running { close(step, state, began: time, at: time) }
  }

  /// Notes that a step's condition is not met.
  mutating func skip(_ step: Int) { steps[step].state = .skipped }

  mutating func chose(_ branch: Int, of cases: Int) { steps[cases].branch = Int32(clamping: branch) }

  mutating func endEarly(_ early: EarlyEnd) { changeRare { $0.earlyEnds.append(early) } }

  mutating func keep(_ items: ItemFacts, of group: Int) { changeRare { $0.items[group] = items } }

  /// The first decision counts.
  package mutating func decide(_ decision: RunDecision) {
    if self.decision == nil { changeRare { $0.decision = decision } }
  }

  /// Notes that the run fails because its journal can't be written, whatever was decided before.
  mutating func journalFailed(_ error: FlowError, flowName: String) {
    guard !isLeftToResume else { return }
    changeRare { $0.decision = .journalFailed(FlowReport.Failure(ofFlow: flowName, error), $0.decision) }
  }

  /// Whether the run isn't over, because its journal can't be written.
  var isLeftToResume: Bool { if case .journalFailed? = decision { true } else { false } }

  /// The run is over.
  package mutating func end(at date: Date) { endedAt = date.timeIntervalSinceReferenceDate }

  /// Whether there is nothing in it that could show the value of a name, besides the paths.
  var holdsNoTexts: Bool {
    decision == nil && earlyEnds.isEmpty && recoveries.isEmpty && undos.isEmpty && alwaysFailures.isEmpty
  }

  /// A copy without the values of names that turned out to be sensitive during the run.
  func hiding(_ hidden: HiddenNames, _ paths: PathTable?) -> RunFacts {
    if hidden.isEmpty { return self }
    var facts = self
    if let paths { facts.table = table?.with(paths) }
    if rare.isEmpty { return facts }
    facts.changeRare { rare in
      for early in rare.earlyEnds.indices {
        rare.earlyEnds[early].held = rare.earlyEnds[early].held.map { part in
          hidden.contains(part.name, in: -1) ? RedactableTexts.Part(name: part.name, text: .made(part.hidden)) : part
        }
      }
      for index in rare.recoveries.indices { rare.recoveries[index].hide(hidden, paths) }
      for index in rare.undos.indices { rare.undos[index].hide(hidden, paths) }
      for index in rare.alwaysFailures.indices { rare.alwaysFailures[index].hide(hidden, paths) }
      rare.decision?.hide(hidden, paths)
    }
    return facts
  }

  // MARK: Ends and texts

  /// The error of what has failed within a step or branch that is cut off, and its text if that is kept; `nil` if it was
  /// only cancelled.
  func failureOfOpen(_ step: Int) -> (error: any Error, text: String?)? {
    guard let table else { return nil }
    let decided = decision?.earlier ?? decision
    if let failure = decided?.failure, let failed = failure.step, table.paths.isNode(failed, within: step) {
      return (failure.error, failure.errorText)
    }
    return alwaysFailures.last { table.paths.isNode($0.step, within: step) }.map { ($0.error, $0.errorText) }
  }

  /// The text of the error that decided the end, if it is kept.
  var decisionText: String? { decision?.failure?.errorText }
}
