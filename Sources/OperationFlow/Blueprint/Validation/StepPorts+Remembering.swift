extension StepPorts {
  /// The ports that the same factory had in another flow; `nil` if that is not known.
  static func remembered(for id: Blueprint.StepID, in blueprint: Blueprint) -> StepPorts? {
    guard let (type, code) = blueprint.factory(of: id) else { return nil }
    return type.checked.withLock { $0.byFactory[code] } as? StepPorts
  }

  /// Remembers these ports for other flows with the same factory; `made` is the class of what it made for a check alone.
  func remember(for id: Blueprint.StepID, in blueprint: Blueprint, made: OperationType?) {
    // What a factory makes of another class than its own, it may make now and then.
    guard let (type, code) = blueprint.factory(of: id), made === type, !type.hidesProperties else { return }
    type.checked.withLock { $0.byFactory[code] = self }
  }
}

extension Blueprint {
  /// The class and the code of a step's factory, if these alone decide what the step declares.
  fileprivate func factory(of step: StepID) -> (type: OperationType, code: FactoryCode)? {
    guard steps[step].options.arePlain, case .operation(.factory(let type, let make)) = steps[step].kind,
      let code = FactoryCode(make)
    else { return nil }
    return (type, code)
  }
}
