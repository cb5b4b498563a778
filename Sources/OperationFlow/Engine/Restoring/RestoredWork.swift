import Foundation

/// Settles claimed work with the result that was kept, in the way in which its own result would settle it.
struct RestoredWork {
  let engine: RunEngine
  let left: RunRestoration.Left

  func settle(_ claim: RunClaim, _ kept: KeptSettlement) throws {
    guard let step = claim.work.step else { return }
    guard claim.attempt == kept.attempt || !claim.work.isAttempt else { throw FlowError.unreadableEntry }
    let settlement = kept.settlement
    var source = claim.source(engine.blueprint.name(of: claim.work), of: step)
    if let name = left.name { source = source.named(name) }
    switch claim.work {
    case .step, .item: try settleAttempt(claim, kept, source, step)
    case .recover:
      let failure = engine.state.withLock { state in
        _ = state.failedAttempts.removeValue(forKey: claim.work.attemptedWork)
        return state.machine.failure(of: claim.ticket)
      }
      engine.recoveryDidEnd(claim.ticket, source, settlement, from: failure ?? FlowError.cancellation, nil)
    case .expire:
      engine.state.withLock { _ = $0.failedAttempts.removeValue(forKey: claim.work.attemptedWork) }
      engine.complete(claim.ticket, source, settlement, lane: .none)
    case .undo:
      if engine.blueprint.keepsResults { engine.withGroups { _ = $0.takeResults() } }
      _ = engine.completeUndo(claim.ticket, source, settlement, .none, advice: kept.advice)
    case .check: settleCheck(claim, kept, source, step)
    case .choose: try settleChoice(claim, kept, step)
    case .enter, .leave: settleBlock(claim, kept, step)
    case .plan: try settlePlan(claim, kept, source, step)
    case .pull:
      if case .pulledAll = kept.result {
        engine.settle(claim.ticket, .pulled(isItem: false), lane: .none) { state, _, _, _ in
          _ = state.groups.update(step) { $0.noteEnd() }
          return nil
        }
      } else {
        engine.complete(claim.ticket, source, settlement, lane: .none)
      }
    case .collect: settleCollect(claim, settlement, source, step)
    case .finish: break
    }
  }

  private func settleAttempt(
    _ claim: RunClaim, _ kept: KeptSettlement, _ source: FlowEvent.Source, _ step: Blueprint.StepID
  ) throws {
    engine.blueprint.discardInstances(of: step, engine.bucket)
    if left.hidesOutput { engine.withGroups { _ = $0.update(step) { $0.hidesOutputs = true } } }
    let settlement = kept.settlement
    if !settlement.isSuccess, let plan = engine.blueprint.steps[step].options.attempts {
      _ = engine.completeAttempt(plan, claim.ticket, source, settlement, nil, .none, advice: kept.advice)
    } else {
      engine.complete(claim.ticket, source, settlement, output: left.output, lane: .none)
    }
  }

  private func settleCheck(
    _ claim: RunClaim, _ kept: KeptSettlement, _ source: FlowEvent.Source, _ step: Blueprint.StepID
  ) {
    if case .skipped = kept.result {
      engine.blueprint.discardInstances(of: step, engine.bucket)
      engine.settle(claim.ticket, .skipped, source, lane: .none)
    } else {
      settleStep(claim, kept.settlement, source)
    }
  }

  private func settleStep(_ claim: RunClaim, _ settlement: Settlement, _ source: FlowEvent.Source) {
    let located = engine.located(settlement, source)
    engine.settle(claim.ticket, .settled(located), source, lane: .none)
  }

  private func settleChoice(_ claim: RunClaim, _ kept: KeptSettlement, _ step: Blueprint.StepID) throws {
    guard case .chosen(let branch) = kept.result, case .cases(let cases) = engine.blueprint.steps[step].kind else {
      return settleStep(claim, kept.settlement, FlowEvent.Source(engine.blueprint.steps[step].name, step: step))
    }
    let chooser = CaseChooser(engine: engine)
    if let branch, !cases.branches.indices.contains(branch) { throw FlowError.unreadableEntry }
    let block = branch.map { cases.branches[$0].block }
    var choice = CaseChooser.Choice(branch: branch, block: block)
    if block == nil { choice.held = chooser.describeKeys(of: cases.branches) }
    engine.blueprint.discardInstances(passedOverFor: block, in: step, engine.paths, engine.bucket)
    engine.settle(claim.ticket, .chosen(block), lane: .none) { state, _, _, _ in
      state.note(choice, of: step, claim.ticket)
      return nil
    }
  }

  private func settleBlock(_ claim: RunClaim, _ kept: KeptSettlement, _ step: Blueprint.StepID) {
    guard case .entered = kept.result else {
      engine.settle(claim.ticket, .settled(kept.settlement), lane: .none)
      return
    }
    if engine.blueprint.keepsResults, engine.blueprint.steps[step].isAlways {
      engine.withGroups { _ = $0.takeResults() }
    }
    if case .flow(_, _, let names) = engine.blueprint.steps[step].kind { engine.bucket.markSensitive(names) }
    engine.settle(claim.ticket, .entered, lane: .none)
  }

  private func settlePlan(
    _ claim: RunClaim, _ kept: KeptSettlement, _ source: FlowEvent.Source, _ step: Blueprint.StepID
  ) throws {
    guard case .planned(let count, let width) = kept.result else {
      return settleStep(claim, kept.settlement, source)
    }
    guard width >= 1 else { throw FlowError.unreadableEntry }
    switch GroupPerformer(engine: engine).plan(step) {
    case .planned(count, _, let tolerance):
      // A group that has begun keeps its width: more items may have been at work than the flow allows now.
      let result = RunResult.planned(count: count, width: width, tolerance: tolerance)
      engine.settle(claim.ticket, result, source, lane: .none)
    case .planned(let found, _, _): throw FlowError.otherItems(engine.blueprint.steps[step].name, count, found)
    case .settled(.failed(let error)): throw error
    default: throw FlowError.unreadableEntry
    }
  }

  private func settleCollect(
    _ claim: RunClaim, _ settlement: Settlement, _ source: FlowEvent.Source, _ step: Blueprint.StepID
  ) {
    var run = engine.endGroup(step)
    _ = run?.takeResults()
    if engine.blueprint.handsOnResults { engine.blueprint.finishOutlets(of: step) }
    if !settlement.isSuccess, let run { engine.withGroups { $0.begin(run, step) } }
    settleStep(claim, settlement, source)
  }
}
