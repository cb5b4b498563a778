/// The order in which a group hands on the results of its items.
public enum FlowResultOrder: Sendable, Hashable {
  /// Each result as soon as its item has ended.
  case completion
  /// The results in the order of the items: one that comes early waits for those before it.
  case input
}

/// The results of a group's items that are to be handed on, one after the other.
///
/// Each of them keeps the place of its item, so there are never more than the group is wide.
package struct DeliveryQueue: Sendable {
  /// A result, with the claim that is settled when it has been handed on.
  package struct Held: Sendable {
    let ticket: WorkTicket
    package let index: Int
    let attempt: Int
    let result: FlowItemResult<any Sendable>
  }

  private let order: FlowResultOrder
  /// Those that have come, if they are handed on in this order.
  private var arrived = Fifo<Held>()
  /// Those that wait for earlier items, by index.
  private var early: [Int: Held] = [:]
  private var nextIndex = 0
  /// Items of which an attempt has failed: they may never end, because the run may end before the next one.
  private var unfinished: Set<Int> = []
  private var isBusy = false

  init(_ order: FlowResultOrder) { self.order = order }

  mutating func append(_ held: Held) {
    switch order {
    case .completion: arrived.append(held)
    case .input:
      unfinished.remove(held.index)
      early[held.index] = held
    }
  }

  /// Notes that another attempt of an item is to follow.
  mutating func noteAttempt(_ index: Int) {
    if order == .input { unfinished.insert(index) }
  }

  /// Takes the next result; `nil` if there is none, or if one is being handed on.
  ///
  /// `neverEnds` returns whether an item that waits for another attempt won't get one, because its run is over.
  mutating func take(neverEnds: (_ index: Int, _ other: WorkTicket) -> Bool) -> Held? {
    guard !isBusy, let held = next(neverEnds) else { return nil }
    isBusy = true
    return held
  }

  private mutating func next(_ neverEnds: (Int, WorkTicket) -> Bool) -> Held? {
    guard order == .input else { return arrived.popFirst() }
    while let other = early.first?.value {
      if let held = early.removeValue(forKey: nextIndex) {
        nextIndex += 1
        return held
      }
      guard unfinished.contains(nextIndex), neverEnds(nextIndex, other.ticket) else { return nil }
      nextIndex += 1
    }
    return nil
  }

  /// The result that was taken has been handed on.
  mutating func noteHandedOn() { isBusy = false }
}
