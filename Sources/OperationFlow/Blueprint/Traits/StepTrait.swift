/// An option of a step, such as its name, its weight in the progress, or the keys that it reads and writes.
///
/// Pass traits when you add a step, in any order, after the labelled parameters, as in `flow.add(LoginOp(),
/// .weight(3))`. If a trait is given more than once, the last one counts, and validation warns about it, except for
/// names and weights. Keys, conditions, limiters and closures for results add up.
public struct StepTrait<Work: FlowStep.Work>: Sendable {
  package let change: @Sendable (inout StepOptions) -> Void

  package init(_ change: @escaping @Sendable (inout StepOptions) -> Void) { self.change = change }
}

/// The kinds of work that a step can have, which determine the traits that fit.
public enum FlowStep {
  /// The work of a step of any kind.
  public protocol Work: SendableMetatype {}

  /// The work of a step that contains no others: an operation's, a closure's, or that of a group's items.
  public protocol LeafWork: Work {}

  /// The work of a step that isn't a group, so that it has no results of items.
  public protocol UngroupedWork: Work {}

  /// The work of an operation object that you created: it runs once.
  public enum Once: LeafWork, UngroupedWork {}

  /// Work that is created for each attempt, so that it can be tried again.
  public protocol RepeatableWork: LeafWork {}

  /// Work that is created for each attempt, when the run reaches its step, such as a closure's.
  public enum Repeatable: RepeatableWork, UngroupedWork {}

  /// The work of a group's items, whose results are of one type.
  public enum Grouped<Output: Sendable>: RepeatableWork {}

  /// The work of a step that contains others: cases, a flow, or parallel branches.
  public enum Composite: UngroupedWork {}
}

extension StepTrait {
  /// Names the step in summaries, events and problems, instead of its own name.
  ///
  /// An operation gets this as its `name`. A group uses it for itself and for its closure's items.
  ///
  /// - Parameter name: The name.
  /// - Returns: The trait.
  public static func named(_ name: String) -> Self { Self { $0.name = name } }

  /// Sets how much the step counts in the run's progress, compared with its neighbours; the default is 1.
  ///
  /// - Parameter weight: The weight, from 0 to 1,000,000; a value outside this range is clamped to it.
  /// - Returns: The trait.
  public static func weight(_ weight: Int) -> Self { Self { $0.weight = weight } }

  /// Declares keys that the step reads, so that they are checked before the run.
  ///
  /// Validation treats them like a ``FlowInput``. If a closure reads another key, the record gets a warning. A closure
  /// with this trait and without ``writes(_:)`` writes nothing.
  ///
  /// - Parameters:
  ///   - keys: The required keys.
  ///   - optionalKeys: The keys that may be missing.
  /// - Returns: The trait.
  public static func reads<each Value, each OptionalValue>(
    _ keys: repeat FlowKey<each Value>, optional optionalKeys: repeat FlowKey<each OptionalValue>
  ) -> Self {
    var ports: [StepPort] = []
    repeat ports.append(StepPort(reading: each keys))
    repeat ports.append(StepPort(reading: each optionalKeys, isRequired: false))
    return Self { [ports] in $0.declare(reads: ports) }
  }

  /// Declares all keys that the step writes; validation relies on them, and assumes that there are no others.
  ///
  /// If a closure writes another key, the record has a warning, once for each key and run. A group declares its output.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The trait.
  public static func writes<each Value>(_ keys: repeat FlowKey<each Value>) -> Self {
    var ports: [StepPort] = []
    repeat ports.append(StepPort(writing: each keys))
    return Self { [ports] in $0.declare(writes: ports) }
  }

  /// Declares that the step writes nothing, which a closure with ``reads(_:optional:)`` needn't declare; a group still
  /// writes its output.
  public static var writesNothing: Self { Self { $0.declare(writes: []) } }
}

extension StepTrait where Work: FlowStep.LeafWork {
  /// Starts the step's work only with a permit of each limiter; in a group, this applies to each item.
  ///
  /// The work releases its permits when it ends, even if it was abandoned. Each attempt acquires its own permits, and
  /// isn't recorded as started while it waits for one. If the run is paused during that wait, the next waiting work
  /// gets the permit.
  ///
  /// - Parameter limiters: The limiters, in any order; those of several such traits add up.
  /// - Returns: The trait.
  public static func limited(by limiters: FlowLimiter...) -> Self { Self { $0.limit(by: limiters) } }
}

extension StepTrait where Work == FlowStep.Composite {
  /// Limits of a step that contains others.
  @available(
    *, unavailable, message: "A step that contains others takes no permits: give .limited(by:) to the steps in it."
  )
  public static func limited(by limiters: FlowLimiter...) -> Self { Self { _ in } }
}
