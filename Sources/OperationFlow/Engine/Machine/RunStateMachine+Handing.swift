// Results that are handed on: a claim of its own keeps the place of an item that has ended, until that is done.
extension RunStateMachine {
  /// Claims the handing on of an item's result, just before the item is settled.
  ///
  /// Until that claim is settled as well, no other item takes the item's place in the width, and neither the group nor
  /// the run ends.
  mutating func claimHanding(of ticket: WorkTicket) -> WorkTicket? {
    guard let claimed = claims[ticket], let step = claimed.work.step, let index = claimed.work.item else { return nil }
    var scope = claimed.scope
    if let id = scope, case .attempts? = tree[id]?.kind { scope = tree[id]?.parent }
    let handing = claims.insert(
      Claimed(work: .item(step, index: index), scope: scope, isCancelled: scope == nil, isHanding: true))
    if let scope { tree.note(.held, in: scope) } else { closingSteps.add(handing, beside: ticket) }
    return handing
  }

  /// Whether a claim keeps the place of an item that has ended.
  func isHanding(_ ticket: WorkTicket) -> Bool { claims[ticket]?.isHanding ?? false }

  /// An item's result has been handed on; a failure of that is the group's own, which is never tolerated.
  mutating func settleHanding(in id: ScopeID, _ result: RunResult) -> [RunEffect] {
    guard case .settled(.succeeded) = result else { return end(result.settlement) }
    tree.note(.released, in: id)
    return []
  }
}
