import Foundation

extension FlowRecord.State {
  init(_ settlement: Settlement) {
    switch settlement {
    case .succeeded: self = .succeeded
    case .failed: self = .failed
    case .cancelled: self = .cancelled
    }
  }
}

/// The facts about one step, in 16 bytes.
package struct StepFact: Sendable {
  /// The start of a running step, the duration of an ended one, or the end of a restored one, in seconds; NaN if
  /// unknown.
  package var time = 0.0
  /// The index of the branch that cases have chosen; -1 for none.
  var branch: Int32 = -1
  var retryCount: UInt16 = 0
  package var state = FlowRecord.State.waiting
  /// True if the step ended before the run was resumed.
  package var isRestored = false

  var attempts: Int { state == .waiting || state == .skipped ? 0 : Int(retryCount) + 1 }
}

/// The number of a group's items that were retried, and the number of their retries.
struct ItemRetries: Sendable {
  var items = 0
  var attempts = 0
}

/// The facts about a group's items.
final class ItemFacts: Sendable {
  let counts: FlowReport.Items
  let retries: ItemRetries
  private let outputs: (any ItemOutputs)?
  /// The name for the outputs, if it is known and they were not written.
  let outputName: String?

  init(
    _ counts: FlowReport.Items, _ retries: ItemRetries, _ outputs: (any ItemOutputs)? = nil,
    named outputName: String? = nil
  ) {
    self.counts = counts
    self.retries = retries
    self.outputs = outputs
    self.outputName = outputName
  }

  /// The outputs by their indices, if the group did not complete.
  var partialOutputs: [Int: any Sendable] { outputs?.byIndex ?? [:] }
}

/// The reason why a run doesn't succeed.
package enum RunDecision: Sendable {
  case failed(ReportedWork)
  indirect case cancelled(FlowReport.Cancellation)

  var failure: ReportedWork? { if case .failed(let failure) = self { failure } else { nil } }

  var text: String {
    switch self {
    case .failed(let failure): "\(FlowReport.Failure(work: failure))"
    case .cancelled(let cancellation): "\(cancellation)"
    }
  }

  fileprivate func hiding(_ hidden: HiddenNames, _ paths: PathTable?, _ secrets: SecretTexts) -> RunDecision {
    switch self {
    case .failed(let failure): .failed(failure.hiding(hidden, paths, secrets))
    case .cancelled(.step(let name, let path, let item)):
      .cancelled(
        .step(name: secrets.scrubbing(name), path: path?.shown(by: paths).scrubbing(secrets), item: item))
    case .cancelled(.call), .cancelled(.task), .cancelled(.progress), .cancelled(.signal): self
    }
  }
}

/// The states of a run's steps and items, which are exact whatever the record contains.
///
/// A run changes the facts under its lock.
package struct RunFacts: Sendable {
  /// Cases of which none matched, with a sentence on the value of each of their keys.
  typealias EarlyEnd = (cases: Int, held: [RedactableTexts.Part])

  /// The steps' names and kinds; `nil` if no steps are known.
  private(set) var table: BlueprintFacts?
  package var steps: [StepFact]
  private(set) var endedAt = 0.0
  private(set) var items = [Int: ItemFacts]()
  private(set) var earlyEnds: [EarlyEnd] = []
  /// The decision about the run, which may be earlier than a failure of the journal.
  private(set) var decision: RunDecision?
  /// The failure of a durable run's journal, which becomes the run's failure whatever was decided before.
  private(set) var journalFailure: ReportedWork?
  /// The recoveries, the undos, and the failures at the end, in the order in which they happened.
  private(set) var notes: [ReportedWork] = []
  /// True if the run had ended before it was started again, so that nothing ran.
  private(set) var hadEnded = false

  var isDecided: Bool { decision != nil || journalFailure != nil }
  var failure: ReportedWork? { journalFailure ?? decision?.failure }
  package func notes(_ kind: ReportedWork.Kind) -> [ReportedWork] { notes.filter { $0.kind == kind } }

  package init(_ table: BlueprintFacts? = nil) {
    self.table = table
    steps = Array(repeating: StepFact(), count: table?.count ?? 0)
  }

  /// Returns true if the run has reached a step, which it may have skipped.
  func hasBegun(_ step: Int) -> Bool { steps[step].state != .waiting }

  /// Returns the failure within a step or branch that was cut off; `nil` if it was only cancelled.
  func failureOfOpen(_ step: Int) -> ReportedWork? {
    guard let table else { return nil }
    let isWithin = { (work: ReportedWork) in work.step.map { table.paths.isNode($0, within: step) } ?? false }
    if let failure = decision?.failure, isWithin(failure) { return failure }
    return notes(.alwaysFailure).last(where: isWithin)
  }

  /// Returns the duration of a step; `nil` if the step never began, or if the duration is unknown.
  func duration(of fact: StepFact) -> Duration? {
    if fact.isRestored || fact.time.isNaN { return nil }
    return switch fact.state {
    case .waiting, .skipped, .neverRan: nil
    case .running: .seconds(max(0, endedAt - fact.time))
    case .succeeded, .failed, .cancelled: .seconds(fact.time)
    }
  }

  /// Returns the part of a step before the run was resumed, with its date in whole microseconds, as in a journal.
  func beforeResume(of fact: StepFact) -> FlowReport.BeforeResume? {
    if !fact.isRestored { return fact.time.isNaN ? .began : nil }
    if fact.time.isNaN { return .ended(nil) }
    return .ended(Date(microseconds: Date(timeIntervalSinceReferenceDate: fact.time).microseconds))
  }

  // MARK: Changing it

  /// Records that an attempt at a step with more than one piece of work begins.
  mutating func open(_ step: Int, attempt: Int, at time: Double) {
    if steps[step].state != .running { steps[step] = StepFact(time: time, state: .running) }
    steps[step].retryCount = UInt16(clamping: attempt - 1)
  }

  /// Records that an open step begins only now, because its first attempt waited for a permit.
  mutating func reopen(_ step: Int, at time: Double) {
    if steps[step].state == .running, steps[step].retryCount == 0, !steps[step].time.isNaN { steps[step].time = time }
  }

  package mutating func add(_ work: ReportedWork) { notes.append(work) }

  /// Records the end of a step; `began` is the start of a step that was not opened.
  mutating func close(_ step: Int, _ state: FlowRecord.State, began: Double, at time: Double) {
    let passed = time - (steps[step].state == .running ? steps[step].time : began)
    // NaN, for an unknown time, remains NaN.
    steps[step].time = passed < 0 ? 0 : passed
    steps[step].state = state
  }

  /// Records that the run had ended before it was started again.
  package mutating func markEndedBefore() { hadEnded = true }

  /// Records the state of a step of a run that ended before, and the date of its end.
  package mutating func store(_ step: Int, _ state: FlowRecord.State, endedBefore date: Date?, attempt: Int) {
    guard steps.indices.contains(step) else { return }
    steps[step].state = state
    steps[step].isRestored = true
    steps[step].time = date?.timeIntervalSinceReferenceDate ?? .nan
    steps[step].retryCount = UInt16(clamping: attempt - 1)
  }

  /// Records the branch that was chosen by cases of a run that ended before.
  package mutating func storeBranch(_ branch: Int, of step: Int) {
    if steps.indices.contains(step) { steps[step].branch = Int32(clamping: branch) }
  }

  /// Records cases without a match in a run that ended before, which ended the flow or the branch around them.
  package mutating func endEarly(at cases: Int) { earlyEnds.append((cases, [])) }

  /// Records the items of a group of a run that ended before.
  package mutating func store(
    _ counts: FlowReport.Items, retriedItems: Int, attempts: Int, of group: Int
  ) {
    items[group] = ItemFacts(counts, ItemRetries(items: retriedItems, attempts: attempts))
  }

  /// Ends the open steps of a run that ended before: a step has failed if it contains the failure.
  package mutating func endOpenSteps() {
    for step in steps.indices where steps[step].state == .running {
      steps[step].state = failureOfOpen(step) == nil ? .cancelled : .failed
    }
  }

  package mutating func forgetSteps() {
    table = nil
    steps = []
  }

  /// Records the end of a step, unless it has ended already.
  mutating func closeOpen(_ step: Int, _ state: FlowRecord.State, at time: Double) {
    if steps[step].state == .running { close(step, state, began: time, at: time) }
  }

  mutating func endEarly(_ early: EarlyEnd) { earlyEnds.append(early) }
  mutating func store(_ items: ItemFacts, of group: Int) { self.items[group] = items }

  /// Records the decision about the run; only the first one counts.
  package mutating func decide(_ decision: RunDecision) {
    if !isDecided { self.decision = decision }
  }

  /// Records that the run fails because its journal can't be written, whatever was decided before.
  mutating func journalFailed(_ error: FlowError, flowName: String) {
    if journalFailure == nil { journalFailure = ReportedWork(ofFlow: flowName, error) }
  }

  package mutating func end(at moment: RunMoment) { endedAt = moment.seconds }

  /// True if only the paths could show the value of a name.
  var holdsNoTexts: Bool { !isDecided && earlyEnds.isEmpty && notes.isEmpty }

  /// Returns a copy without the values of names that became sensitive during the run.
  func hiding(_ hidden: HiddenNames, _ paths: PathTable?, _ secrets: SecretTexts) -> RunFacts {
    if hidden.isEmpty { return self }
    let paths = paths?.scrubbing(secrets)
    var facts = self
    if let paths { facts.table = table.map { BlueprintFacts($0, paths: paths) } }
    facts.earlyEnds = earlyEnds.map { ($0.cases, $0.held.map { $0.hiding(hidden, secrets) }) }
    facts.notes = notes.map { $0.hiding(hidden, paths, secrets) }
    facts.journalFailure = journalFailure?.hiding(hidden, paths, secrets)
    facts.decision = decision?.hiding(hidden, paths, secrets)
    return facts
  }
}

/// A piece of work in a report: the failure of the run, a recovery, an undo, or a failure at the end.
package final class ReportedWork: Sendable {
  package enum Kind: Sendable { case failure, recovery, undo, alwaysFailure }

  let kind: Kind
  /// The name of the step or item, as a summary shows it, such as `[words #3]`.
  package let name: String
  package let path: FlowPath?
  package let item: Int?
  package let attempt: Int
  /// The duration of the attempt, for the failure of the run.
  let duration: Duration
  /// The error; `nil` for an undo that succeeded.
  package let error: (any Error)?
  /// The error's text from the time of the failure; `nil` if the error is asked for it later.
  package let errorText: String?
  let isRefusal: Bool
  package let step: Int?
  /// The secrets that its texts hide; `nil` until they are known.
  let secrets: SecretTexts?

  package init(
    _ kind: Kind, _ name: String, _ path: FlowPath?, item: Int? = nil, attempt: Int = 1,
    after duration: Duration = .zero, _ error: (any Error)?, text errorText: String? = nil, isRefusal: Bool = false,
    step: Int? = nil, hiding secrets: SecretTexts? = nil
  ) {
    self.kind = kind
    self.name = name
    self.path = path
    self.item = item
    self.attempt = attempt
    self.duration = duration
    self.error = error
    self.errorText = errorText
    self.isRefusal = isRefusal
    self.step = step
    self.secrets = secrets
  }

  /// Creates the failure of a flow as a whole, which no step has caused.
  convenience init(
    ofFlow flowName: String, _ error: any Error, path: FlowPath? = nil, after duration: Duration = .zero,
    isRefusal: Bool = false
  ) {
    self.init(.failure, FlowEvent.Source(flowName).description, path, after: duration, error, isRefusal: isRefusal)
  }

  /// The error of failed work; a cancellation if there is none.
  var failure: any Error { error ?? FlowError.cancellation }
  var failureText: String { errorText ?? shown(ValueText.describe(error: failure)) }

  /// Returns a text of the error without the known secrets; the error itself is unchanged.
  func shown(_ text: String) -> String { secrets?.scrubbing(text) ?? text }

  func hiding(_ hidden: HiddenNames, _ paths: PathTable?, _ secrets: SecretTexts) -> ReportedWork {
    ReportedWork(
      kind, secrets.scrubbing(name), path?.shown(by: paths).scrubbing(secrets), item: item, attempt: attempt,
      after: duration,
      error.map { hidden.hide($0, paths, secrets) }, text: errorText.map(secrets.scrubbing),
      isRefusal: isRefusal, step: step, hiding: secrets.isEmpty ? nil : secrets)
  }
}

extension ReportedWork: CustomReflectable {
  /// A mirror of only the error's text, because the error itself is the user's and may show anything.
  package var customMirror: Mirror { Mirror(self, children: ["error": failureText], displayStyle: .class) }
}

extension EventLog {
  /// Returns the texts of a run's hidden values: in its events, in its bucket, and in the outputs of its groups' items.
  ///
  /// Types of values may be asked for their texts, so no lock may be held. `known` are the texts in its events, if they
  /// were found before.
  func secrets(
    among values: [String: any Sendable], _ facts: RunFacts, ofEvents known: SecretTexts? = nil
  ) -> SecretTexts {
    var secrets = known ?? SecretTexts()
    if known == nil { insertSecrets(into: &secrets) }
    for text in otherSecrets { secrets.insert(whole: text) }
    if hidden.isEmpty { return secrets }
    for (name, value) in values where hidden.contains(ValueText.name(name)) { secrets.insert(value: value) }
    for items in facts.items.values {
      guard let name = items.outputName, hidden.contains(ValueText.name(name)) else { continue }
      for output in items.partialOutputs.values { secrets.insert(value: output) }
    }
    return secrets
  }
}
