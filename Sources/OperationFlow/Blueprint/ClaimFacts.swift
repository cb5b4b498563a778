/// The facts about a step needed as soon as it is claimed; reading the step itself would count references.
struct ClaimFacts: Sendable {
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
      (isPlain, isUndeclared, isBareClosure, isAsyncClosure, closureName) = (mayBePlain, false, false, false, nil)
      declaresNoPorts = isBare && !type.declaresPorts && !type.hidesProperties
    case .operation(.instance):
      (isPlain, isUndeclared, isBareClosure, isAsyncClosure, closureName) = (mayBePlain, false, false, false, nil)
      declaresNoPorts = false
    case .closure(.sync):
      (isPlain, isUndeclared, declaresNoPorts, isBareClosure) = (mayBePlain, isBare, isBare, isBare)
      (isAsyncClosure, closureName) = (false, isLimited ? nil : step.name)
    case .closure(.async):
      (isPlain, isUndeclared, declaresNoPorts, isBareClosure) = (mayBePlain, isBare, isBare, false)
      (isAsyncClosure, closureName) = (true, isLimited ? nil : step.name)
    case .group(let group):
      if case .asyncClosure = group.body { isAsyncClosure = true } else { isAsyncClosure = false }
      (isPlain, isUndeclared, declaresNoPorts, isBareClosure) = (false, false, false, false)
      closureName = group.runsClosure && !isLimited ? group.itemName : nil
    case .cases, .flow, .parallel:
      (isPlain, isUndeclared, declaresNoPorts) = (false, false, false)
      (isBareClosure, isAsyncClosure, closureName) = (false, false, nil)
    }
  }
}
