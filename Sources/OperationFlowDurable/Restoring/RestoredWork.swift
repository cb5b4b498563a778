import OperationFlow

/// Settles claimed work with its stored result, in the same way as with a new result.
struct RestoredWork {
  let engine: RunEngine
  /// The engine's blueprint, stored here because copying it counts references.
  let blueprint: Blueprint

  init(_ engine: RunEngine) { (self.engine, blueprint) = (engine, engine.blueprint) }

  func settle(_ claim: Claim, _ kept: JournalSettlement, _ left: RunRestoration.Left) throws {
    guard let step = claim.work.step else { return }
    guard claim.attempt == kept.attempt || !claim.work.isAttempt else { throw FlowError.unreadableEntry }
    let source = FlowEvent.Source(
      left.name ?? blueprint.name(of: claim.work), step: step, item: claim.work.item, attempt: claim.attempt)
    engine.setBegun(claim, !kept.parts.isUnbegun)
    switch claim.work.kind {
    case .step, .item:
      // An operation object that was made beforehand is used by the next attempt, if one follows.
      if kept.result.retryDelay == nil { blueprint.discardInstances(of: step, engine.bucket) }
      if left.hidesOutput { engine.withGroup(step) { $0.hidesOutputs = true } }
      complete(claim, source, kept, output: left.output)
    case .recover, .expire:
      complete(claim, source, kept)
    case .undo:
      if blueprint.has(.keptResults) { engine.dropResults() }
      complete(claim, source, kept)
    case .check:
      if case .skipped = kept.result {
        blueprint.discardInstances(of: step, engine.bucket)
        settle(claim, .skipped, source)
      } else {
        settle(claim, .settled(kept.result.settlement), source)
      }
    case .choose:
      guard case .chosen(let branch) = kept.result else {
        return settle(claim, .settled(kept.result.settlement), source)
      }
      guard case .cases(let cases) = blueprint.steps[step].kind, branch.map(cases.branches.indices.contains) ?? true
      else { throw FlowError.unreadableEntry }
      _ = engine.performer.enterBranch(branch, of: cases, claim, step, lane: .none)
    case .enter, .leave: settleBlock(claim, kept, source, step)
    case .plan: try settlePlan(claim, kept, source, step)
    case .pull:
      if case .pulledAll = kept.result {
        engine.performer.settlePull(claim, step, nil, lane: .none)
      } else {
        complete(claim, source, kept)
      }
    case .collect:
      engine.endGroupAgain(step, isWritten: kept.result.settlement.isSuccess)
      settle(claim, .settled(kept.result.settlement), source)
    case .deliver, .finish: break
    }
  }

  /// Settles the library's own work, or work that wasn't performed.
  private func settle(_ claim: Claim, _ result: RunResult, _ source: FlowEvent.Source) {
    engine.end(claim, result, source, lane: .none)
  }

  /// Settles a user's work; another attempt may follow after a delay.
  private func complete(
    _ claim: Claim, _ source: FlowEvent.Source, _ kept: JournalSettlement, output: (any Sendable)? = nil
  ) {
    engine.endRestored(
      claim, kept.result.settlement, retriedAfter: kept.result.retryDelay, source, output: output)
  }

  private func settleBlock(_ claim: Claim, _ kept: JournalSettlement, _ source: FlowEvent.Source, _ step: Int) {
    guard case .entered = kept.result else {
      return settle(claim, .settled(kept.result.settlement), source)
    }
    if blueprint.has(.keptResults), blueprint.steps[step].isAlways { engine.dropResults() }
    if case .flow(_, _, let names) = blueprint.steps[step].kind { engine.bucket.markSensitive(names) }
    settle(claim, .entered, source)
  }

  private func settlePlan(
    _ claim: Claim, _ kept: JournalSettlement, _ source: FlowEvent.Source, _ step: Int
  ) throws {
    guard case .planned(let count, let width) = kept.result else {
      return settle(claim, .settled(kept.result.settlement), source)
    }
    guard width >= 1 else { throw FlowError.unreadableEntry }
    switch engine.performer.plan(step) {
    case .planned(count, let expected, _, let tolerance):
      // A begun group's width doesn't change: more items may have been running than the flow allows now.
      settle(claim, .planned(count: count, expected: expected, width: width, tolerance: tolerance), source)
    case .planned(let found, _, _, _): throw FlowError.otherItems(blueprint.steps[step].name, count, found)
    case .settled(.failed(let error)): throw error
    default: throw FlowError.unreadableEntry
    }
  }
}
