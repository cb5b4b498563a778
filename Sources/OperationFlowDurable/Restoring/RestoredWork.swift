import OperationFlow

/// Settles claimed work with the result that was kept, in the way in which its own result would settle it.
struct RestoredWork {
  let engine: RunEngine
  /// The engine's own, kept because a copy of it counts references.
  let blueprint: Blueprint

  init(_ engine: RunEngine) { (self.engine, blueprint) = (engine, engine.blueprint) }

  func settle(_ claim: RunClaim, _ kept: JournalSettlement, _ left: RunRestoration.Left) throws {
    guard let step = claim.work.step else { return }
    guard claim.attempt == kept.attempt || !claim.work.isAttempt else { throw FlowError.unreadableEntry }
    let source = FlowEvent.Source(
      left.name ?? blueprint.name(of: claim.work), step: step, item: claim.work.item, attempt: claim.attempt)
    switch claim.work.kind {
    case .step, .item:
      blueprint.discardInstances(of: step, engine.bucket)
      if left.hidesOutput { engine.withGroup(step) { $0.hidesOutputs = true } }
      engine.completeAgain(
        claim, source, kept.result.settlement, output: left.output, retriedAfter: kept.result.retryDelay)
    case .recover, .expire:
      engine.completeAgain(claim, source, kept.result.settlement, retriedAfter: kept.result.retryDelay)
    case .undo:
      if blueprint.has(.keptResults) { engine.dropResults() }
      engine.completeAgain(claim, source, kept.result.settlement, retriedAfter: kept.result.retryDelay)
    case .check:
      if case .skipped = kept.result {
        blueprint.discardInstances(of: step, engine.bucket)
        engine.settleAgain(claim, .skipped, source)
      } else {
        engine.settleAgain(claim, .settled(kept.result.settlement), source)
      }
    case .choose:
      guard case .chosen(let branch) = kept.result else {
        return engine.settleAgain(claim, .settled(kept.result.settlement), source)
      }
      guard engine.chooseAgain(claim, branch, of: step) else { throw FlowError.unreadableEntry }
    case .enter, .leave: settleBlock(claim, kept, source, step)
    case .plan: try settlePlan(claim, kept, source, step)
    case .pull:
      if case .pulledAll = kept.result {
        engine.pullAgain(claim, nil, of: step)
      } else {
        engine.completeAgain(claim, source, kept.result.settlement, retriedAfter: kept.result.retryDelay)
      }
    case .collect:
      engine.endGroupAgain(step, isWritten: kept.result.settlement.isSuccess)
      engine.settleAgain(claim, .settled(kept.result.settlement), source)
    case .handOn, .finish: break
    }
  }

  private func settleBlock(_ claim: RunClaim, _ kept: JournalSettlement, _ source: FlowEvent.Source, _ step: Int) {
    guard case .entered = kept.result else {
      return engine.settleAgain(claim, .settled(kept.result.settlement), source)
    }
    if blueprint.has(.keptResults), blueprint.steps[step].isAlways { engine.dropResults() }
    if case .flow(_, _, let names) = blueprint.steps[step].kind { engine.bucket.markSensitive(names) }
    engine.settleAgain(claim, .entered, source)
  }

  private func settlePlan(
    _ claim: RunClaim, _ kept: JournalSettlement, _ source: FlowEvent.Source, _ step: Int
  ) throws {
    guard case .planned(let count, let width) = kept.result else {
      return engine.settleAgain(claim, .settled(kept.result.settlement), source)
    }
    guard width >= 1 else { throw FlowError.unreadableEntry }
    switch engine.planAgain(step) {
    case .planned(count, _, let tolerance):
      // A group that has begun keeps its width: more items may have been at work than the flow allows now.
      engine.settleAgain(claim, .planned(count: count, width: width, tolerance: tolerance), source)
    case .planned(let found, _, _): throw FlowError.otherItems(blueprint.steps[step].name, count, found)
    case .settled(.failed(let error)): throw error
    default: throw FlowError.unreadableEntry
    }
  }
}
