/// The kind of a step: the work that it does, or the steps that it contains.
///
/// Later versions may add more, so a `switch` over them needs a `default`.
public enum FlowStepKind: Sendable, Hashable {
  /// The step runs an operation. `type` is the name of its class, or of the type that creates it.
  case operation(type: String)
  /// The step runs a closure.
  case closure(isAsynchronous: Bool)
  /// The step runs some work for each item. A stream's items are read when there is room for them.
  case group(width: Int, tolerance: FlowTolerance, isStream: Bool)
  /// The step runs one of several branches.
  case cases
  /// The step runs the steps of another flow.
  case flow
  /// The step runs several branches at once.
  case parallel
  /// The steps within the step run at the end of the run, whatever happened.
  case always
}

/// Properties of a step that are read often, or after the run; reading the step itself would count references.
struct StepProperties: Sendable {
  let kind: FlowStepKind
  let marks: StepMarks

  init(_ step: borrowing Blueprint.Step) {
    var marks = step.options?.marks ?? []
    if !marks.isEmpty { marks.formUnion([.traits, .declarations]) }
    if !marks.isDisjoint(with: .declaring) { marks.insert(.ports) }
    switch step.kind {
    case .operation, .closure: break
    case .group, .cases, .flow, .parallel: marks.formUnion([.compound, .declarations, .ports])
    }
    switch step.kind {
    case .operation(.factory(let type, _)):
      kind = .operation(type: type.name)
      marks.formUnion([.declarations, .tasks])
      if type.mayHavePorts { marks.insert(.ports) }
    case .operation(.instance(let instance)):
      kind = .operation(type: instance.held.map { TypeName.of(type(of: $0)) } ?? step.name)
      marks.formUnion([.declarations, .tasks, .ports, .instance])
    case .closure(.sync):
      kind = .closure(isAsynchronous: false)
    case .closure(.async):
      kind = .closure(isAsynchronous: true)
      marks.formUnion([.asyncClosure, .tasks])
    case .group(let group):
      kind = .group(width: group.width, tolerance: group.tolerance, isStream: group.isStream)
      if case .asyncClosure = group.body { marks.insert(.asyncClosure) }
      if group.mayNeedTasks { marks.insert(.tasks) }
    case .cases: kind = .cases
    case .flow: kind = step.isAlways ? .always : .flow
    case .parallel: kind = .parallel
    }
    if step.isAlways { marks.insert(.always) }
    self.marks = marks
  }

  var isAsyncClosure: Bool { marks.contains(.asyncClosure) }
}

/// Marks of a step that a run, its check and its reports need; a blueprint has the marks of all its steps.
package struct StepMarks: OptionSet, Sendable {
  package let rawValue: UInt32

  // Marks that diagrams show.
  package static let undo = StepMarks(rawValue: 1)
  package static let condition = StepMarks(rawValue: 1 << 1)
  package static let retry = StepMarks(rawValue: 1 << 2)
  package static let timeout = StepMarks(rawValue: 1 << 3)
  package static let wait = StepMarks(rawValue: 1 << 4)

  // Marks that a run and its check need.
  /// The step is neither one operation nor one closure.
  static let compound = StepMarks(rawValue: 1 << 5)
  /// The step has traits other than a name and a weight.
  static let traits = StepMarks(rawValue: 1 << 6)
  /// The step isn't just a closure without traits, which declares nothing at all.
  static let declarations = StepMarks(rawValue: 1 << 7)
  /// The step may have ports; a closure without traits has none, nor has an operation of a class without any.
  static let ports = StepMarks(rawValue: 1 << 8)
  /// The step is an operation object that the user created.
  static let instance = StepMarks(rawValue: 1 << 9)
  /// The step is an asynchronous closure, or a group whose items run one.
  static let asyncClosure = StepMarks(rawValue: 1 << 10)
  /// The step may do its work in a task.
  static let tasks = StepMarks(rawValue: 1 << 11)
  static let always = StepMarks(rawValue: 1 << 12)
  static let declaresKeys = StepMarks(rawValue: 1 << 13)
  /// The step may be tried again, has a time limit, recovers, or is undone.
  static let attempts = StepMarks(rawValue: 1 << 14)
  /// The step's work has a time limit, or its undo has one.
  package static let timed = StepMarks(rawValue: 1 << 15)
  package static let limits = StepMarks(rawValue: 1 << 16)
  /// The step has a trait that is implemented as a ``StepFeature``.
  static let features = StepMarks(rawValue: 1 << 17)
  /// The step's work starts before or after other work that could start.
  static let precedence = StepMarks(rawValue: 1 << 18)
  package static let keptResults = StepMarks(rawValue: 1 << 19)
  static let handedResults = StepMarks(rawValue: 1 << 20)

  /// The traits that declare something about the values that a step reads and writes.
  static let declaring: StepMarks = [.declaresKeys, .condition, .keptResults]

  package init(rawValue: UInt32) { self.rawValue = rawValue }
}
