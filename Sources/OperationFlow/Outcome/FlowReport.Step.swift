import Foundation

extension FlowReport {
  /// What became of one step.
  ///
  /// It is exact whatever the record keeps, even with ``FlowRecording/none``.
  public struct Step: Sendable, CustomStringConvertible {
    /// Its place in its flow.
    public let path: FlowPath
    /// Its name.
    public let name: String
    /// What it does.
    public let kind: FlowBlueprint.Kind
    /// What became of it.
    public let end: StepEnd
    /// How long it took, with all that is within it; `nil` if it never began, or began before a resume.
    public let duration: Duration?
    /// What of it was before the resume of a durable run; `nil` if nothing was.
    public let beforeResume: BeforeResume?
    /// How many attempts it had; 0 if it never began.
    public let attempts: Int
    /// What became of a group's items; `nil` for other steps, and if the items were never found.
    public let items: Items?
    /// The outputs of a group's items, by index, if the group did not complete; empty for other steps.
    public let partialOutputs: [Int: any Sendable]

    /// Its path, and what became of it.
    public var description: String {
      "\(path): \(end.text)" + (items.map { " (\($0))" } ?? "") + (beforeResume.map { ", \($0)" } ?? "")
    }
  }

  /// What became of a step.
  public enum StepEnd: Sendable, Hashable, CaseIterable {
    /// It succeeded, and so did all that ran within it; so does a cases step of which no branch matches.
    case succeeded
    /// It failed, or contains the step that the run failed with.
    case failed
    /// It was cancelled, or ended as cancelled by itself.
    case cancelled
    /// Its condition was not met, or it is in a step that was skipped, in a branch that was not taken, or after cases of
    /// which none matched.
    case skipped
    /// The run ended before it.
    case neverRan

    fileprivate var text: String { self == .neverRan ? "never ran" : "\(self)" }
  }

  /// How many items a group had, and what became of them.
  public struct Items: Sendable, Hashable, CustomStringConvertible {
    /// How many there were; `nil` if they come from a sequence that was not read to its end.
    public let total: Int?
    /// How many succeeded.
    public let succeeded: Int
    /// How many failed.
    public let failed: Int
    /// How many were cancelled after the run had picked them up, or ended as cancelled by themselves.
    public let cancelled: Int

    /// How many were never started; `nil` if ``total`` is not known.
    public var neverStarted: Int? { total.map { $0 - succeeded - failed - cancelled } }

    /// The counts, such as `23 of 24 succeeded, 1 failed, 0 cancelled, 0 never started`.
    public var description: String {
      let all = total.map(String.init) ?? "unknown"
      let rest = neverStarted.map { ", \($0) never started" } ?? ""
      return "\(succeeded) of \(all) succeeded, \(failed) failed, \(cancelled) cancelled" + rest
    }
  }
}

extension FlowReport {
  /// What became of each step, with each step before those within it; computed on each access.
  ///
  /// It is empty for a durable run that had ended before, because its journal only has its outcome then, and for one
  /// whose resume was refused, because what it had done isn't known.
  public var steps: [Step] {
    guard let table = facts.table else { return [] }
    var states = StepStates(facts, table)
    return table.paths.outermostFirst.compactMap { node in
      guard !table.paths.isBranch(node), let path = table.paths.path(of: node) else { return nil }
      let fact = facts.steps[node]
      let items = facts.items[node]
      return Step(
        path: path, name: table.paths.name(of: node), kind: table.kinds[node],
        end: facts.end(of: node, &states), duration: facts.duration(of: fact),
        beforeResume: facts.beforeResume(of: fact),
        attempts: fact.end == .notBegun || fact.end == .skipped ? 0 : Int(fact.retryCount) + 1,
        items: items.map(Items.init),
        partialOutputs: items?.outputsByIndex ?? [:])
    }
  }

  /// Returns the outputs that the items of groups that did not complete left, by index.
  ///
  /// A group that fails, or is cancelled, writes nothing under its output key; this is what it would have written there.
  ///
  /// - Parameter key: The key that the group writes to; outputs of other types are left out.
  /// - Returns: The outputs of the items that succeeded.
  public func partialOutputs<Output>(_ key: FlowKey<[Output]>) -> [Int: Output] {
    facts.items.values.filter { $0.outputName == key.name }.reduce(into: [:]) { found, items in
      found.merge(items.outputsByIndex.compactMapValues { $0 as? Output ?? restored($0, as: Output.self) }) {
        first, _ in first
      }
    }
  }
}

extension RunFacts {
  /// What became of a step, once the run has ended.
  func end(of step: Int, _ states: inout StepStates) -> FlowReport.StepEnd {
    let end = steps[step].end
    switch end {
    case .succeeded: return .succeeded
    case .failed: return .failed
    case .cancelled, .open: return .cancelled
    case .skipped: return .skipped
    case .notBegun:
      if case .never? = states.absence(of: step) { return .neverRan }
      return .skipped
    }
  }

  /// How long a step took; `nil` if it never began, or if that isn't known.
  func duration(of fact: StepFact) -> Duration? {
    if fact.isRestored || fact.time.isNaN { return nil }
    return switch fact.end {
    case .notBegun, .skipped: nil
    case .open: .seconds(max(0, endedAt - fact.time))
    case .succeeded, .failed, .cancelled: .seconds(fact.time)
    }
  }

  /// What of a step was before the run was resumed; `nil` if nothing was.
  func beforeResume(of fact: StepFact) -> FlowReport.BeforeResume? {
    if !fact.isRestored { return fact.time.isNaN ? .began : nil }
    return .ended(fact.time.isNaN ? nil : Date(timeIntervalSinceReferenceDate: fact.time))
  }
}

extension FlowReport.Items {
  fileprivate init(_ facts: ItemFacts) {
    (total, succeeded, failed, cancelled) = (facts.total, facts.succeeded, facts.failed, facts.cancelled)
  }
}

extension ItemFacts {
  fileprivate var outputsByIndex: [Int: any Sendable] {
    (partialOutputs?.present ?? []).reduce(into: [:]) { $0[$1.index] = $1.value }
  }
}
