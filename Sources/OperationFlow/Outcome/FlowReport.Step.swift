import Foundation

extension FlowReport {
  /// A step of a run, and how it ended.
  ///
  /// It is exact whatever the record keeps, even with ``FlowRecording/none``.
  public struct Step: Sendable, CustomStringConvertible {
    /// The path of the step in its flow.
    public let path: FlowPath
    /// The name of the step.
    public let name: String
    /// The kind of the step.
    public let kind: FlowStepKind
    /// The way in which the step ended.
    public let end: StepEnd
    /// The duration with all that is within the step; `nil` if it never began, or began before a resume.
    public let duration: Duration?
    /// The part of the step before a durable run was resumed; `nil` if there was none.
    public let beforeResume: BeforeResume?
    /// The number of attempts; 0 if the step never began.
    public let attempts: Int
    /// The numbers of a group's items; `nil` for other steps, and if the items were never found.
    public let items: Items?
    /// The outputs of a group's items, by index, if the group did not complete; empty for other steps.
    public let partialOutputs: [Int: any Sendable]
    let secrets: SecretTexts
    let hidesOutputs: Bool

    /// The path of the step, and how it ended.
    public var description: String {
      "\(path): \(end.words)" + (items.map { " (\($0))" } ?? "") + (beforeResume.map { ", \($0)" } ?? "")
    }
  }

  /// The way in which a step ended.
  public enum StepEnd: Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The step succeeded, and so did all that ran within it; also cases if no branch matches.
    case succeeded
    /// The step failed, or contains the step that the run failed with.
    case failed
    /// The step was cancelled, or ended as cancelled by itself.
    case cancelled
    /// Its condition was not met, or it is in a skipped step, in a branch that wasn't taken, or after cases without a match.
    case skipped
    /// The run ended before it.
    case neverRan

    fileprivate init(_ state: StepState) {
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

  /// The part of a step that took place before a durable run was resumed; its journal doesn't have when a step began.
  public enum BeforeResume: Sendable, Hashable, CustomStringConvertible {
    /// The step had begun, and ended after the resume, or not at all.
    case began
    /// The step had ended, at a time that may not be known.
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
    /// The number of all items; `nil` if they come from a sequence that was not read to its end.
    public let total: Int?
    /// The number of items that succeeded.
    public let succeeded: Int
    /// The number of items that failed.
    public let failed: Int
    /// The number of items that were cancelled after the run had picked them up, or by themselves.
    public let cancelled: Int

    package init(total: Int?, succeeded: Int, failed: Int, cancelled: Int) {
      self.total = total
      self.succeeded = succeeded
      self.failed = failed
      self.cancelled = cancelled
    }

    /// The number of items that were never started; `nil` if ``total`` is not known.
    public var neverStarted: Int? { total.map { $0 - succeeded - failed - cancelled } }

    /// The counts, such as `23 of 24 succeeded, 1 failed, 0 cancelled, 0 never started`.
    public var description: String {
      let all = total.map(String.init) ?? "unknown"
      let rest = neverStarted.map { ", \($0) never started" } ?? ""
      return "\(succeeded) of \(all) succeeded, \(failed) failed, \(cancelled) cancelled" + rest
    }

    /// What a group that has completed says about its items; `nil` if none failed.
    var failureText: String? {
      guard failed + cancelled > 0 else { return nil }
      let counts = ValueText.counts(["failed": failed, "cancelled": cancelled]).joined(separator: ", ")
      return successText + ", " + counts
    }

    /// The counts, such as `23 of 24 succeeded, 1 failed`.
    package var countText: String { failureText ?? successText }

    /// The total is known only once all items have been taken.
    private var successText: String { "\(succeeded)\(total.map { " of \($0)" } ?? "") succeeded" }
  }

  /// All steps and how they ended, each before those within it; computed on each access, without what is hidden.
  ///
  /// Steps of a durable run that had ended before have how they ended, and no durations. It is empty for a run whose resume was
  /// refused, and for one that had ended before and whose flow has changed, because what it had done isn't known.
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
  /// A group that fails, or is cancelled, writes nothing under its output key; this is what it would have written there.
  ///
  /// - Parameter key: The key that the group writes to; outputs of other types are left out.
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
  /// The step's properties, with the texts of its outputs; what is sensitive in them is shown as `<redacted>`.
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

/// Finds what became of each step and branch, also of those that a run did not reach, from what it has kept.
final class StepStates {
  enum Absence: Sendable {
    /// It is in a branch that was not taken, or in a step that was skipped.
    case branch
    /// It is after cases of which none matched, given by their place among the early ends.
    case early(Int)
    /// The run ended before it.
    case never
  }

  private let facts: RunFacts
  private let table: BlueprintFacts
  /// Why the steps beside each step that have not begun haven't: the reason is the same for all of them.
  private var absences: [Absence]
  /// The place of each branch among those of its step.
  private var branchIndices: [Int]
  /// The flows and branches with steps of their own that have neither succeeded nor been skipped.
  private var unfinished: Set<Int> = []
  /// The early ends by what they ended: a flow, a branch, or the run, which is -1.
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

  /// Why a step never began; `nil` if it did.
  func absence(of step: Int) -> Absence? { facts.hasBegun(step) ? nil : absences[step] }

  /// Why those steps of a flow, a branch or the run have not begun that haven't.
  private func absence(within parent: Int?) -> Absence {
    guard let parent else { return ended(-1) }
    let owner = table.paths.isBranch(parent) ? table.paths.parent(of: parent) ?? parent : parent
    guard facts.hasBegun(owner) else { return absences[owner] }
    let fact = facts.steps[owner]
    if fact.state == .skipped { return .branch }
    if table.kind(of: owner) != .cases { return ended(parent) }
    if Int(fact.branch) == branchIndices[parent] { return absences[owner] }
    // Cases that have chosen no branch have run none.
    let hasChosen = fact.branch >= 0 || fact.state == .succeeded
    return hasChosen ? .branch : .never
  }

  private func ended(_ node: Int) -> Absence { early[node].map { .early($0) } ?? .never }

  /// What became of a step or branch; while the run is under way, `started` are the steps that are known to have begun.
  ///
  /// A step of one piece of work is only noted at its end.
  func state(of node: Int, started: Set<Int>? = nil) -> StepState {
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

  /// What became of a branch: whether it was taken, or for a parallel step, what became of that step.
  private func state(ofBranch node: Int, _ started: Set<Int>?) -> StepState {
    let hasEnded = started == nil
    guard let owner = table.paths.parent(of: node) else { return hasEnded ? .neverRan : .waiting }
    guard facts.hasBegun(owner) else { return state(of: owner, started: started) }
    if case .branch = absences[node] { return .skipped }
    let fact = facts.steps[owner]
    let isOfCases = table.kind(of: owner) == .cases
    let isOpen = fact.state == .running && !hasEnded
    if isOfCases, branchIndices[node] != Int(fact.branch) { return isOpen ? .waiting : .neverRan }
    if isOpen || fact.state == .succeeded { return fact.state }
    // A branch of cases ends like the cases, a parallel one like what is in it.
    if isOfCases && fact.state == .failed || facts.failureOfOpen(node) != nil { return .failed }
    return isOfCases || unfinished.contains(node) ? .cancelled : .succeeded
  }
}
