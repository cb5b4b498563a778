/// The kind of a step: the work that it does, or the steps that it contains.
///
/// Later versions may add more, so a `switch` over them needs a `default`.
public enum FlowStepKind: Sendable, Hashable {
  /// The step runs an operation of a class, or an operation created by a type with that name.
  case operation(type: String)
  /// The step runs a closure.
  case closure(isAsynchronous: Bool)
  /// The step runs some work for each item; a stream's items are taken as there is room for them.
  case group(width: Int, tolerance: FlowTolerance, isStream: Bool)
  /// The step takes one of several branches.
  case cases
  /// The step runs the steps of another flow.
  case flow
  /// The step runs several branches at once.
  case parallel
  /// The steps within it run at the end of the run, whatever happened.
  case always
}

/// What is asked of a step often, or after the run; reading the step itself would count references.
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

/// What is asked about a step in the course of a run and for reports, and of all steps together if one of them has it.
package struct StepMarks: OptionSet, Sendable {
  package let rawValue: UInt32

  // What diagrams show.
  package static let undo = StepMarks(rawValue: 1)
  package static let condition = StepMarks(rawValue: 1 << 1)
  package static let retry = StepMarks(rawValue: 1 << 2)
  package static let timeout = StepMarks(rawValue: 1 << 3)
  package static let wait = StepMarks(rawValue: 1 << 4)

  // What a run and its check ask for.
  /// It is neither one operation nor one closure.
  static let compound = StepMarks(rawValue: 1 << 5)
  /// It has traits other than a name and a weight.
  static let traits = StepMarks(rawValue: 1 << 6)
  /// It is more than a closure without traits, which declares nothing at all.
  static let declarations = StepMarks(rawValue: 1 << 7)
  /// It isn't certain to have no ports: a closure without traits has none, nor has an operation of a class without any.
  static let ports = StepMarks(rawValue: 1 << 8)
  /// It is an operation object, made by the user.
  static let instance = StepMarks(rawValue: 1 << 9)
  /// It is one asynchronous closure, or each item of the group is.
  static let asyncClosure = StepMarks(rawValue: 1 << 10)
  /// It may do its work in a task.
  static let tasks = StepMarks(rawValue: 1 << 11)
  static let always = StepMarks(rawValue: 1 << 12)
  static let declaresKeys = StepMarks(rawValue: 1 << 13)
  /// It may be tried again, has a time limit, recovers, or is undone.
  static let attempts = StepMarks(rawValue: 1 << 14)
  /// Its work has a time limit, or its undo has.
  package static let timed = StepMarks(rawValue: 1 << 15)
  package static let limits = StepMarks(rawValue: 1 << 16)
  /// It has traits of which no one knows more than ``StepFeature`` says.
  static let features = StepMarks(rawValue: 1 << 17)
  /// Its work starts before or after other work that could start.
  static let precedence = StepMarks(rawValue: 1 << 18)
  package static let keptResults = StepMarks(rawValue: 1 << 19)
  static let handedResults = StepMarks(rawValue: 1 << 20)

  /// What tells something of the values that a step reads and writes; other traits don't.
  static let declaring: StepMarks = [.declaresKeys, .condition, .keptResults]

  package init(rawValue: UInt32) { self.rawValue = rawValue }
}
