import Foundation

extension FlowReport {
  /// A step of a run, and its end.
  ///
  /// It is exact whatever the record contains, even with ``FlowRecording/none``.
  public struct Step: Sendable, CustomStringConvertible {
    /// The path of the step in its flow.
    public let path: FlowPath
    /// The name of the step.
    public let name: String
    /// The kind of the step.
    public let kind: FlowStepKind
    /// The way in which the step ended.
    public let end: StepEnd
    /// The duration including everything within the step; `nil` if the step never began, or began before a resume.
    public let duration: Duration?
    /// The part of the step before a durable run was resumed; `nil` if there was none.
    public let beforeResume: BeforeResume?
    /// The number of attempts; 0 if the step never began.
    public let attempts: Int
    /// The numbers of a group's items by their ends; `nil` for other steps, and if the items were never found.
    public let items: Items?
    /// The outputs of a group's items, by index, if the group did not complete; empty for other steps.
    public let partialOutputs: [Int: any Sendable]
    let secrets: SecretTexts
    let hidesOutputs: Bool

    /// The path of the step, and its end.
    public var description: String {
      "\(path): \(end.words)" + (items.map { " (\($0))" } ?? "") + (beforeResume.map { ", \($0)" } ?? "")
    }
  }

  /// The way in which a step ended.
  public enum StepEnd: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The step succeeded, and so did everything that ran within it. Cases without a match succeed, too.
    case succeeded
    /// The step failed, or contains the step whose failure is the run's.
    case failed
    /// The step was cancelled, or ended as cancelled by itself.
    case cancelled
    /// The step's condition was not met, or it is in a skipped step, in a branch that wasn't chosen, or after cases
    /// without a match.
    case skipped
    /// The run ended before it reached the step.
    case neverRan

    fileprivate init(_ state: FlowRecord.State) {
      switch state {
      case .succeeded: self = .succeeded
      case .failed: self = .failed
      case .cancelled, .running: self = .cancelled
      case .skipped: self = .skipped
      case .neverRan, .waiting: self = .neverRan
      }
    }

    /// The name of the end, such as `succeeded` or `neverRan`.
    public var description: String {
      switch self {
      case .succeeded: "succeeded"
      case .failed: "failed"
      case .cancelled: "cancelled"
      case .skipped: "skipped"
      case .neverRan: "neverRan"
      }
    }

    /// The end in words.
    package var words: String { self == .neverRan ? "never ran" : description }
  }

  /// The part of a step before a durable run was resumed; the journal doesn't contain the time when a step began.
  public enum BeforeResume: Sendable, Hashable, CustomStringConvertible {
    /// The step began before the resume, and ended after it, or not at all.
    case began
    /// The step ended before the resume, at a time that may be unknown.
    case ended(Date?)

    /// A text such as `ended earlier, at 2026-11-23T10:15:02Z`.
    public var description: String {
      switch self {
      case .began: "began earlier"
      case .ended(nil): "ended earlier"
      case .ended(let date?): "ended earlier, at \(date.formatted(.iso8601))"
      }
    }
  }

  /// The numbers of a group's items, by how they ended.
  public struct Items: Sendable, Hashable, CustomStringConvertible {
    /// The number of all items; `nil` if that isn't known, as for a sequence that was not read to its end.
    public let total: Int?
    /// The number of items that succeeded.
    public let succeeded: Int
    /// The number of items that failed.
    public let failed: Int
    /// The number of items that were cancelled after they started, or that ended as cancelled by themselves.
    public let cancelled: Int

    package init(total: Int?, succeeded: Int, failed: Int, cancelled: Int) {
      self.total = total
      self.succeeded = succeeded
      self.failed = failed
      self.cancelled = cancelled
    }

    /// The number of items that were never started; `nil` if ``total`` is not known.
    public var neverStarted: Int? { total.map { max(0, $0 - succeeded - failed - cancelled) } }

    /// The counts, such as `23 of 24 succeeded, 1 failed, 0 cancelled, 0 never started`.
    public var description: String {
      let all = total.map(String.init) ?? "unknown"
      let rest = neverStarted.map { ", \($0) never started" } ?? ""
      return "\(succeeded) of \(all) succeeded, \(failed) failed, \(cancelled) cancelled" + rest
    }

    /// The text about the items of a group that completed; `nil` if none failed.
    var failureText: String? {
      guard failed + cancelled > 0 else { return nil }
      let counts = ValueText.counts(["failed": failed, "cancelled": cancelled]).joined(separator: ", ")
      return successText + ", " + counts
    }

    /// The counts, such as `23 of 24 succeeded, 1 failed`.
    package var countText: String { failureText ?? successText }

    /// The total of a sequence is known only after it was read to its end.
    private var successText: String { "\(succeeded)\(total.map { " of \($0)" } ?? "") succeeded" }
  }

  /// All steps and their ends, each before the steps within it; computed on each access, without hidden values.
  ///
  /// The steps of a durable run that had ended before have ends, but no durations. The array is empty if the resume of
  /// the run was refused. It is also empty if the run had ended before and its flow changed, because the ends of its
  /// steps aren't known.
  public var steps: [Step] {
    guard let table = facts.table else { return [] }
    let states = StepStates(facts, table)
    let secrets = secrets
    let paths = table.paths.scrubbing(secrets)
    return paths.outermostFirst.compactMap { node in
      guard !paths.isBranch(node), let path = paths.path(of: node) else { return nil }
      let fact = facts.steps[node]
      let items = facts.items[node]
      return Step(
        path: path, name: paths.name(of: node), kind: table.kind(of: node),
        end: StepEnd(states.state(of: node)), duration: facts.duration(of: fact),
        beforeResume: facts.beforeResume(of: fact), attempts: fact.attempts, items: items?.counts,
        partialOutputs: items?.partialOutputs ?? [:], secrets: secrets,
        hidesOutputs: items?.outputName.map(hidesValues) ?? false)
    }
  }

  /// Returns the outputs of items, by index, of the groups that did not complete.
  ///
  /// A group that fails or is cancelled writes nothing under its output key; these are the outputs that it would have
  /// written there.
  ///
  /// - Parameter key: The output key of the group; outputs of other types are left out.
  /// - Returns: The outputs of the items that succeeded.
  public func partialOutputs<Output>(_ key: FlowKey<[Output]>) -> [Int: Output] {
    var found = [Int: Output]()
    for items in facts.items.values where items.outputName == key.name {
      for (index, value) in items.partialOutputs where found[index] == nil {
        found[index] = value as? Output ?? restored(value, as: Output.self)
      }
    }
    return found
  }
}

extension FlowReport.Step: CustomReflectable {
  /// The step's properties, with the texts of its outputs; sensitive parts are shown as `<redacted>`.
  public var customMirror: Mirror {
    let outputs = partialOutputs.mapValues { output in
      hidesOutputs ? ValueText.redacted : secrets.scrubbing(ValueText.describe(output))
    }
    return Mirror(
      self,
      children: [
        "path": path.description, "name": name, "kind": kind, "end": end, "duration": duration as Any,
        "beforeResume": beforeResume as Any, "attempts": attempts, "items": items as Any, "partialOutputs": outputs,
      ], displayStyle: .struct)
  }
}

/// Computes the state of each step and branch, also of those that a run did not reach, from the run's facts.
final class StepStates {
  enum Absence: Sendable {
    /// The step is in a branch that was not chosen, or in a step that was skipped.
    case branch
    /// The step is after cases of which none matched; the value is their index in the early ends.
    case early(Int)
    /// The run ended before it reached the step.
    case never
  }

  private let facts: RunFacts
  private let table: BlueprintFacts
  /// The reason, by step, why those of its siblings that never began did not; all siblings have the same one.
  private var absences: [Absence]
  /// The index of each branch among those of its step.
  private var branchIndices: [Int]
  /// The flows and branches that contain a step that neither succeeded nor was skipped.
  private var unfinished: Set<Int> = []
  /// The indices of early ends by what they ended: a flow, a branch, or the run, which is -1.
  private var early = [Int: Int]()

  init(_ facts: RunFacts, _ table: BlueprintFacts) {
    self.facts = facts
    self.table = table
    absences = Array(repeating: .never, count: table.paths.count)
    branchIndices = Array(repeating: 0, count: table.paths.count)
    var counts = branchIndices
    for (index, end) in facts.earlyEnds.enumerated() { early[table.nodeEnded(by: end.cases) ?? -1] = index }
    for node in table.paths.outermostFirst {
      let parent = table.paths.parent(of: node)
      let isBranch = table.paths.isBranch(node)
      if let parent, isBranch {
        branchIndices[node] = counts[parent]
        counts[parent] += 1
      } else if let parent, facts.steps[node].state != .succeeded, facts.steps[node].state != .skipped {
        unfinished.insert(parent)
      }
      absences[node] = absence(within: isBranch ? node : parent)
    }
  }

  /// Returns the reason why a step never began; `nil` if it did.
  func absence(of step: Int) -> Absence? { facts.hasBegun(step) ? nil : absences[step] }

  /// Returns the reason why steps directly within a flow, a branch or the run (`nil`) did not begin.
  private func absence(within parent: Int?) -> Absence {
    guard let parent else { return ended(-1) }
    let owner = table.paths.isBranch(parent) ? table.paths.parent(of: parent) ?? parent : parent
    guard facts.hasBegun(owner) else { return absences[owner] }
    let fact = facts.steps[owner]
    if fact.state == .skipped { return .branch }
    if table.kind(of: owner) != .cases { return ended(parent) }
    if Int(fact.branch) == branchIndices[parent] { return absences[owner] }
    // Cases that chose no branch ran none.
    let hasChosen = fact.branch >= 0 || fact.state == .succeeded
    return hasChosen ? .branch : .never
  }

  private func ended(_ node: Int) -> Absence { early[node].map { .early($0) } ?? .never }

  /// Returns the state of a step or branch.
  ///
  /// While the run is under way, `started` contains the steps that are known to have begun: a step of one piece of work
  /// is recorded only at its end.
  func state(of node: Int, started: Set<Int>? = nil) -> FlowRecord.State {
    if table.paths.isBranch(node) { return state(ofBranch: node, started) }
    let state = facts.steps[node].state
    switch (state, absences[node], started) {
    case (.running, _, nil): return .cancelled
    case (.waiting, .never, nil): return .neverRan
    case (.waiting, _, nil): return .skipped
    case (.waiting, _, let started?) where started.contains(node): return .running
    case (.waiting, .branch, _?): return .skipped
    default: return state
    }
  }

  /// Returns the state of a branch, which depends on its cases or parallel step, and on the steps in it.
  private func state(ofBranch node: Int, _ started: Set<Int>?) -> FlowRecord.State {
    let hasEnded = started == nil
    guard let owner = table.paths.parent(of: node) else { return hasEnded ? .neverRan : .waiting }
    guard facts.hasBegun(owner) else { return state(of: owner, started: started) }
    if case .branch = absences[node] { return .skipped }
    let fact = facts.steps[owner]
    let isOfCases = table.kind(of: owner) == .cases
    let isOpen = fact.state == .running && !hasEnded
    if isOfCases, branchIndices[node] != Int(fact.branch) { return isOpen ? .waiting : .neverRan }
    if isOpen || fact.state == .succeeded { return fact.state }
    // A branch of cases ends as the cases do, and a parallel branch as the steps in it.
    if isOfCases && fact.state == .failed || facts.failureOfOpen(node) != nil { return .failed }
    return isOfCases || unfinished.contains(node) ? .cancelled : .succeeded
  }
}
