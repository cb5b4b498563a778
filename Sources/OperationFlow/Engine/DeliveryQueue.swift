/// The results of a group's items that are to be handed on, one after the other.
///
/// Each of them keeps the place of its item, so there are never more than the group is wide.
struct DeliveryQueue: Sendable {
  /// A result, with the claim that is settled when it has been handed on.
  final class Held: Sendable {
    let claim: Claim
    let index: Int
    let result: FlowItemResult<any Sendable>

    init(_ claim: Claim, _ index: Int, _ result: FlowItemResult<any Sendable>) {
      self.claim = claim
      self.index = index
      self.result = result
    }
  }

  private let order: FlowResultOrder
  /// Those that have come, each by its place in the order: the item's index, or how many came before it.
  private var held = [Int: Held]()
  private var (nextPlace, count) = (0, 0)
  /// The one that is being handed on.
  var taken: Held?

  init(_ order: FlowResultOrder) { self.order = order }

  mutating func append(_ held: Held) {
    self.held[order == .input ? held.index : count] = held
    count += 1
  }

  /// Takes the next result; `nil` if there is none, or if one is being handed on.
  ///
  /// `neverEnds` returns whether an item that has begun won't end any more, because its run is over.
  mutating func take(neverEnds: (_ index: Int, _ other: WorkTicket) -> Bool) -> Held? {
    while taken == nil, let other = held.first?.value {
      if let next = held.removeValue(forKey: nextPlace) {
        nextPlace = nextPlace + 1
        taken = next
        return next
      }
      guard neverEnds(nextPlace, other.claim.ticket) else { return nil }
      nextPlace += 1
    }
    return nil
  }
}
