@testable import OperationFlow

// Permits and the delivery of results in the model.
extension ReferenceRun {
  /// Grants a claim its permit, and starts the claim's time.
  mutating func permit(_ index: Int) -> ReferenceEffects {
    claims[index].needsPermit = false
    if let plan = plan(of: claims[index].work) { time(index, plan) }
    return ReferenceEffects(started: starts(of: index))
  }

  /// Returns true if an item ends for good with this, so that its result is delivered.
  func delivers(_ index: Int, _ end: SimulatedFlow.End) -> Bool {
    let work = claims[index].work.attemptedWork
    guard work.kind == .item, let step = work.step, let item = work.item, !claims[index].isHanding else { return false }
    return paths[step]?.endOfHanding(item: item) != nil && verdict(index, end).isFinal
  }

  /// Adds a claim that delivers the result of an item and occupies the item's place.
  mutating func claimHanding(of index: Int) {
    let item = claims[index]
    var claim = Claim(work: item.work.handing, attempt: 1, path: item.path, isTimed: false)
    claim.isHanding = true
    claim.isCutOff = item.isCutOff
    claim.isCancelled = item.isCutOff
    claims.append(claim)
    for place in cutOffSteps.indices where cutOffSteps[place].awaited.contains(index) {
      cutOffSteps[place].awaited.insert(claims.count - 1)
    }
    runningCount += 1
    strands[item.path].items?.hold()
  }

  /// The items that wait for their next attempt and have results to deliver.
  var itemsBetweenAttempts: [Retry] {
    (retries + delays.values).filter { retry in
      let work = retry.work.attemptedWork
      guard work.kind == .item, let step = work.step, let item = work.item else { return false }
      return paths[step]?.endOfHanding(item: item) != nil
    }
  }

  /// Adds a claim for the result of an item that was cut off between two attempts.
  mutating func handOnCutOff(_ item: Retry) {
    var claim = Claim(work: item.work.handing, attempt: 1, path: item.path, isTimed: false)
    (claim.isHanding, claim.isCutOff, claim.isCancelled) = (true, true, true)
    claims.append(claim)
    for place in cutOffSteps.indices where isAwaited(claim, by: cutOffSteps[place].step) {
      cutOffSteps[place].awaited.insert(claims.count - 1)
    }
    runningCount += 1
  }

  /// Settles the delivery of a result; a failed delivery is never tolerated.
  mutating func handingSettled(_ claim: Claim, _ end: SimulatedFlow.End?, _ index: Int) -> ReferenceEffects {
    if claim.isCutOff {
      goOnIfSettled()
      return closeCutOff()
    }
    guard let end else { return decide(.failed, .unexpectedResult) }
    guard end == .success else { return decide(end, .claim(index)) }
    strands[claim.path].items?.release()
    goOnIfItemsAreDone(claim.path)
    return ReferenceEffects()
  }
}
