/// An option of a step: its name, its weight in the progress, the keys that it reads and writes.
///
/// Traits are given where a step is added, in any order, behind the labelled parameters:
/// ```swift
/// flow
///   .add(LoginOp(), .weight(3))
///   .add("greet", .reads(.email), .writes(.greeting)) { context in
///     context[.greeting] = try "Hello, \(context.require(.email))"
///   }
/// ```
/// Of ``named(_:)`` and ``weight(_:)`` the last one counts; keys add up.
public struct StepTrait<Work: StepWork>: Sendable {
  let change: @Sendable (inout StepOptions) -> Void

  /// Makes a trait that changes the options of the step that it is given to.
  package init(_ change: @escaping @Sendable (inout StepOptions) -> Void) {
    self.change = change
  }

  /// Joins a method's own traits and those that it was given into one: variadic parameters can't be passed on.
  package static func joined(_ own: Self..., with given: [Self]) -> Self {
    Self { options in
      for trait in own + given { trait.change(&options) }
    }
  }
}

/// How often a step's work can run: says which traits fit.
public protocol StepWork: SendableMetatype {}

/// The work of an operation object that you made: it runs once.
public enum Once: StepWork {}

/// Work that is made when its step is reached, anew for each run, such as a closure's.
public enum Repeatable: StepWork {}

// MARK: Name and weight

extension StepTrait {
  /// Names the step in summaries, events and problems, in place of its own name.
  ///
  /// An operation is given it as its `name`. A group has it for itself and for its closure's items; items that are
  /// operations keep their operation's name.
  ///
  /// - Parameter name: The name.
  /// - Returns: The trait.
  public static func named(_ name: String) -> Self {
    Self { $0.name = name }
  }

  /// Sets how much the step counts in the run's progress, among the steps beside it; a step without it counts 1.
  ///
  /// - Parameter weight: The weight, from 0 to 1,000,000; a value outside is taken as the nearest of these.
  /// - Returns: The trait.
  public static func weight(_ weight: Int) -> Self {
    Self { $0.weight = weight }
  }
}

// MARK: Keys

extension StepTrait {
  /// Declares keys that the step reads, so that they are checked before the run.
  ///
  /// Validation treats them as it treats a ``FlowInput``: if a required key is missing on some path that leads to the step,
  /// or holds a type that can't fit, the flow is refused. A closure that reads a key that it declares neither here nor in
  /// ``writes(_:)`` gets the value all the same, and the record has a warning: one for each key and run.
  ///
  /// - Parameters:
  ///   - keys: The keys that must be there.
  ///   - optionalKeys: Keys that may be missing.
  /// - Returns: The trait.
  public static func reads<each Value, each OptionalValue>(
    _ keys: repeat FlowKey<each Value>, optional optionalKeys: repeat FlowKey<each OptionalValue>
  ) -> Self {
    var ports: [InputPort] = []
    repeat ports.append(InputPort(each keys))
    repeat ports.append(InputPort(each optionalKeys, isRequired: false))
    return Self { [ports] in $0.declare(reads: ports) }
  }

  /// Declares all keys that the step writes, so that validation knows them, and knows that it writes no others.
  ///
  /// A step that succeeds counts as having written them. A closure that writes another key does write it, and the record has
  /// a warning: one for each key and run. A group's output key is declared by the group.
  ///
  /// - Parameter keys: The keys.
  /// - Returns: The trait.
  public static func writes<each Value>(_ keys: repeat FlowKey<each Value>) -> Self {
    var ports: [OutputPort] = []
    repeat ports.append(OutputPort(each keys))
    return Self { [ports] in $0.declare(writes: ports) }
  }

  /// Declares that the step writes nothing; a group still writes its output.
  public static var writesNothing: Self {
    Self { $0.declare(writes: []) }
  }
}

extension StepOptions {
  fileprivate mutating func declare(reads: [InputPort]? = nil, writes: [OutputPort]? = nil) {
    declared = (declared ?? DeclaredKeys()).adding(reads: reads, writes: writes)
  }
}
