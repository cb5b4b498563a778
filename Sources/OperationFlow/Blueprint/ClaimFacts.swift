/// The facts about a step that are asked for often, or after the run; reading the step itself would count references.
struct ClaimFacts: Sendable {
  /// What the step does, in the form that users see.
  let kind: FlowStepKind
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
  let isTimed: Bool
  /// Whether it is one asynchronous closure, or each item of a group is.
  let isAsyncClosure: Bool
  /// `nil` also for one that is limited: it starts when it has its permits.
  let closureName: String?

  init(_ step: __shared Blueprint.Step) {
    let special = step.options.special
    let mayBePlain = special?.conditions.isEmpty ?? true
    isBare = step.options.arePlain
    isLimited = special?.limits != nil
    isTimed = special?.attempts?.isTimed ?? false
    switch step.kind {
    case .operation(.factory(let type, _)):
      kind = .operation(type: type.name)
      (isPlain, isUndeclared, isBareClosure, isAsyncClosure, closureName) = (mayBePlain, false, false, false, nil)
      declaresNoPorts = isBare && !type.declaresPorts && !type.hidesProperties
    case .operation(.instance(let instance)):
      kind = .operation(type: instance.held.map { TypeName.of(type(of: $0)) } ?? step.name)
      (isPlain, isUndeclared, isBareClosure, isAsyncClosure, closureName) = (mayBePlain, false, false, false, nil)
      declaresNoPorts = false
    case .closure(.sync):
      kind = .closure(isAsynchronous: false)
      (isPlain, isUndeclared, declaresNoPorts, isBareClosure) = (mayBePlain, isBare, isBare, isBare)
      (isAsyncClosure, closureName) = (false, isLimited ? nil : step.name)
    case .closure(.async):
      kind = .closure(isAsynchronous: true)
      (isPlain, isUndeclared, declaresNoPorts, isBareClosure) = (mayBePlain, isBare, isBare, false)
      (isAsyncClosure, closureName) = (true, isLimited ? nil : step.name)
    case .group(let group):
      kind = .group(width: group.width, tolerance: group.tolerance, isStream: group.isStream)
      if case .asyncClosure = group.body { isAsyncClosure = true } else { isAsyncClosure = false }
      (isPlain, isUndeclared, declaresNoPorts, isBareClosure) = (false, false, false, false)
      closureName = group.runsClosure && !isLimited ? group.itemName : nil
    case .cases, .flow, .parallel:
      kind =
        if case .cases = step.kind { .cases } else if case .parallel = step.kind { .parallel } else {
          step.isAlways ? .always : .flow
        }
      (isPlain, isUndeclared, declaresNoPorts) = (false, false, false)
      (isBareClosure, isAsyncClosure, closureName) = (false, false, nil)
    }
  }
}
