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

  /// Whether it is no synchronous closure, and without options.
  var mayNeedTasks: Bool { closureName == nil || isAsyncClosure }

  /// Those of a closure or of an operation that is made for each run, without options; most steps are one.
  init?(plain step: __shared Blueprint.Step) {
    guard step.options.arePlain, !step.isAlways else { return nil }
    switch step.kind {
    case .operation(.factory(let type, _)):
      (isUndeclared, isBareClosure, isAsyncClosure, closureName) = (false, false, false, nil)
      declaresNoPorts = !type.declaresPorts && !type.hidesProperties
      (isPlain, isBare, isLimited, isTimed) = (true, true, false, false)
      return
    case .closure(.sync): (isUndeclared, isBareClosure, isAsyncClosure, closureName) = (true, true, false, step.name)
    case .closure(.async): (isUndeclared, isBareClosure, isAsyncClosure, closureName) = (true, false, true, step.name)
    case .operation(.instance), .group, .cases, .flow, .parallel: return nil
    }
    (declaresNoPorts, isPlain, isBare, isLimited, isTimed) = (true, true, true, false, false)
  }

  init(_ step: __shared Blueprint.Step) {
    let special = step.options.special
    isBare = step.options.arePlain
    if isBare, case .closure(.sync) = step.kind { isBareClosure = true } else { isBareClosure = false }
    isLimited = special?.limits != nil
    isTimed = special?.attempts?.isTimed ?? false
    let mayBePlain = special?.conditions.isEmpty ?? true
    isAsyncClosure = step.isAsyncClosure
    switch step.kind {
    case .operation: (isPlain, isUndeclared, closureName) = (mayBePlain, false, nil)
    case .closure:
      isUndeclared = isBare
      (isPlain, closureName) = (mayBePlain, isLimited ? nil : step.name)
    case .group(let group):
      (isPlain, isUndeclared) = (false, false)
      closureName = group.runsClosure && !isLimited ? group.itemName : nil
    case .cases, .flow, .parallel: (isPlain, isUndeclared, closureName) = (false, false, nil)
    }
    declaresNoPorts = isUndeclared
  }
}

extension Blueprint.Step {
  fileprivate var isAsyncClosure: Bool {
    switch kind {
    case .closure(.async): true
    case .group(let group): if case .asyncClosure = group.body { true } else { false }
    case .operation, .closure, .cases, .flow, .parallel: false
    }
  }
}
