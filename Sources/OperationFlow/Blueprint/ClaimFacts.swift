/// The facts about a step that are asked for often, or after the run; reading the step itself would count references.
struct ClaimFacts: Sendable {
  /// What the step does, in the form that users see.
  let kind: FlowStepKind
  let marks: StepMarks
  /// Whether it is one operation or closure, whatever the data.
  let isPlain: Bool
  /// Whether it has no traits.
  let isBare: Bool
  /// Whether it is one synchronous closure and has no traits.
  let isBareClosure: Bool
  /// Whether it is a closure that declares nothing at all.
  let isUndeclared: Bool
  /// Whether it is that, or an operation whose class has no ports, so that making one finds out nothing.
  let declaresNoPorts: Bool
  let isLimited: Bool
  /// Whether it is one asynchronous closure, or each item of a group is.
  let isAsyncClosure: Bool
  /// The name of a closure, of the step or of a group's items, that starts as soon as it is claimed, without a permit.
  let closureName: String?

  init(_ step: __shared Blueprint.Step) {
    let special = step.options.special
    marks = special?.marks ?? []
    isBare = step.options.arePlain
    isLimited = special?.limits != nil
    var (isOperation, isClosure, isAsync, hasNoPorts) = (false, false, false, false)
    var name: String?
    switch step.kind {
    case .operation(.factory(let type, _)):
      kind = .operation(type: type.name)
      (isOperation, hasNoPorts) = (true, !type.declaresPorts && !type.hidesProperties)
    case .operation(.instance(let instance)):
      kind = .operation(type: instance.held.map { TypeName.of(type(of: $0)) } ?? step.name)
      isOperation = true
    case .closure(let closure):
      if case .async = closure { isAsync = true }
      kind = .closure(isAsynchronous: isAsync)
      (isClosure, hasNoPorts, name) = (true, true, step.name)
    case .group(let group):
      kind = .group(width: group.width, tolerance: group.tolerance, isStream: group.isStream)
      if case .asyncClosure = group.body { isAsync = true }
      if group.runsClosure { name = group.itemName }
    case .cases: kind = .cases
    case .flow: kind = step.isAlways ? .always : .flow
    case .parallel: kind = .parallel
    }
    isPlain = (isOperation || isClosure) && !marks.contains(.condition)
    isUndeclared = isBare && isClosure
    isBareClosure = isUndeclared && !isAsync
    declaresNoPorts = isBare && hasNoPorts
    isAsyncClosure = isAsync
    closureName = isLimited ? nil : name
  }
}
