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

    /// A text such as `ended before the resume, at 2026-11-23T10:15:02Z`.
    public var description: String {
      switch self {
      case .began: "began before the resume"
      case .ended(nil): "ended before the resume"
      case .ended(let date?): "ended before the resume, at \(date.formatted(.iso8601))"
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
  /// It is empty for a durable run that had ended before, because its journal only has its outcome then, and for one
  /// whose resume was refused, because what it had done isn't known.
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
