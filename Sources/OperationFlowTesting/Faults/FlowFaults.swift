import OperationFlow

/// Faults that a test injects into the work of a flow, the same ones each time for the same seed.
///
/// ```swift
/// let faults = FlowFaults(seed: 7)
///   .failing("upload", attempts: 1...2)
///   .delaying(share: 0.1, by: .seconds(3))
/// let outcome = try await publishing().injecting(faults).run(on: ManualClock())
/// ```
/// A fault replaces one attempt of a step, or of a group's item, or delays it. The choice depends only on the seed, the
/// step's path, the item's index and the number of the attempt, not on the order in which things happen.
public struct FlowFaults: Sendable, CustomStringConvertible {
  /// The effect of a fault.
  ///
  /// Later versions may add cases, so a `switch` over them needs a `default`.
  public enum Effect: Sendable, Hashable, CustomStringConvertible {
    /// The work fails.
    case fails
    /// The work begins, or ends with another fault, after a time.
    case delays(Duration)
    /// The work does nothing until it is cancelled.
    case hangs
    /// The work ends as cancelled by itself.
    case cancels

    /// The effect as a text, such as `fails`.
    public var description: String {
      switch self {
      case .fails: "fails"
      case .delays(let time): "is delayed by \(DurationText.exact(time))"
      case .hangs: "hangs"
      case .cancels: "is cancelled"
      }
    }
  }

  /// A fault that was injected.
  public struct Injected: Sendable, Hashable, CustomStringConvertible {
    /// The step's place in its flow.
    public let path: FlowPath
    /// The index of the group's item; `nil` outside groups.
    public let item: Int?
    /// The number of the attempt, counted from 1.
    public let attempt: Int
    /// The effect of the fault.
    public let effect: Effect

    /// A text such as `2. photos #3 (attempt 1) fails`.
    public var description: String { "\(path)\(item.map { " \($0.itemNumber)" } ?? "") (attempt \(attempt)) \(effect)" }
  }

  /// The seed of the random choices.
  public let seed: UInt64
  private(set) var rules: [FaultRule] = []
  private let journal = Locked([Injected]())

  /// Creates faults that do nothing yet.
  ///
  /// - Parameter seed: The seed of the choice, if only a share of the work gets a fault.
  public init(seed: UInt64 = 0) { self.seed = seed }

  /// The faults that were injected, in their order, in all runs of all flows that have these faults.
  public var injected: [Injected] { journal.withLock { $0 } }

  /// The faults that were injected, one in each line.
  public var description: String {
    let injected = injected
    return injected.isEmpty ? "no faults injected" : injected.map(\.description).joined(separator: "\n")
  }

  // MARK: Kinds of faults

  /// Makes work fail.
  ///
  /// - Parameters:
  ///   - step: The name or the path of the steps, or of the groups for items; every step if it is `nil`.
  ///   - items: The indices of the items; every item, and the work of steps that aren't groups, if it is `nil`.
  ///   - attempts: The numbers of the attempts, counted from 1; every attempt if it is `nil`.
  ///   - share: The share of that work that gets the fault, from 0 to 1.
  ///   - error: The error of the work; an ``InjectedFault`` if it is `nil`.
  /// - Returns: The faults with this one added.
  public func failing(
    _ step: String? = nil, items: ClosedRange<Int>? = nil, attempts: ClosedRange<Int>? = nil, share: Double = 1,
    with error: (any Error)? = nil
  ) -> FlowFaults {
    adding(FaultRule(step: step, items: items, attempts: attempts, share: share, effect: .fails, error: error))
  }

  /// Delays work on the run's clock; other faults of the same work follow the delay.
  ///
  /// - Parameters:
  ///   - step: The name or the path of the steps, or of the groups for items; every step if it is `nil`.
  ///   - items: The indices of the items; every item, and the work of steps that aren't groups, if it is `nil`.
  ///   - attempts: The numbers of the attempts, counted from 1; every attempt if it is `nil`.
  ///   - share: The share of that work that gets the fault, from 0 to 1.
  ///   - time: The delay of the work; several delays of the same work add up.
  /// - Returns: The faults with this one added.
  public func delaying(
    _ step: String? = nil, items: ClosedRange<Int>? = nil, attempts: ClosedRange<Int>? = nil, share: Double = 1,
    by time: Duration
  ) -> FlowFaults {
    adding(FaultRule(step: step, items: items, attempts: attempts, share: share, effect: .delays(time)))
  }

  /// Makes work hang until it is cancelled, for example by its time limit.
  ///
  /// - Parameters:
  ///   - step: The name or the path of the steps, or of the groups for items; every step if it is `nil`.
  ///   - items: The indices of the items; every item, and the work of steps that aren't groups, if it is `nil`.
  ///   - attempts: The numbers of the attempts, counted from 1; every attempt if it is `nil`.
  ///   - share: The share of that work that gets the fault, from 0 to 1.
  /// - Returns: The faults with this one added.
  public func hanging(
    _ step: String? = nil, items: ClosedRange<Int>? = nil, attempts: ClosedRange<Int>? = nil, share: Double = 1
  ) -> FlowFaults {
    adding(FaultRule(step: step, items: items, attempts: attempts, share: share, effect: .hangs))
  }

  /// Makes work end as cancelled, although nothing cancelled it.
  ///
  /// - Parameters:
  ///   - step: The name or the path of the steps, or of the groups for items; every step if it is `nil`.
  ///   - items: The indices of the items; every item, and the work of steps that aren't groups, if it is `nil`.
  ///   - attempts: The numbers of the attempts, counted from 1; every attempt if it is `nil`.
  ///   - share: The share of that work that gets the fault, from 0 to 1.
  /// - Returns: The faults with this one added.
  public func cancelling(
    _ step: String? = nil, items: ClosedRange<Int>? = nil, attempts: ClosedRange<Int>? = nil, share: Double = 1
  ) -> FlowFaults {
    adding(FaultRule(step: step, items: items, attempts: attempts, share: share, effect: .cancels))
  }

  private func adding(_ rule: FaultRule) -> FlowFaults {
    var faults = self
    faults.rules.append(rule)
    return faults
  }

  // MARK: Injecting

  /// Returns the fault of a piece of work, and records it; `nil` if there is none.
  func fault(of work: ProbedWork) -> WorkFault? {
    var fault = WorkFault()
    var found: [Injected] = []
    for (index, rule) in rules.enumerated() where rule.applies(to: work, seed: seed, index: index) {
      switch rule.effect {
      case .delays(let time): fault.delay = ((fault.delay ?? .zero) + time.clamped()).clamped()
      case _ where fault.end != nil: continue
      case .fails: fault.end = .fails(rule.error ?? InjectedFault(work))
      case .hangs: fault.end = .hangs
      case .cancels: fault.end = .fails(CancellationError())
      }
      found.append(Injected(path: work.path, item: work.item, attempt: work.attempt, effect: rule.effect))
    }
    if found.isEmpty { return nil }
    journal.withLock { $0 += found }
    return fault
  }
}

/// The error of work that ``FlowFaults`` made fail.
public struct InjectedFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The step's place in its flow.
  public let path: FlowPath
  /// The index of the group's item; `nil` outside groups.
  public let item: Int?
  /// The number of the attempt, counted from 1.
  public let attempt: Int

  init(_ work: ProbedWork) { (path, item, attempt) = (work.path, work.item, work.attempt) }

  /// The place of the fault.
  public var description: String {
    "injected fault in \(path)\(item.map { " \($0.itemNumber)" } ?? ""), attempt \(attempt)"
  }
}
