/// The operations of a run that have been started and have not ended, each under a small number that is used again.
struct RunSlots: Sendable {
  /// One operation at work.
  struct Slot: Sendable {
    let work: RunWork
    let source: FlowEvent.Source
    var operation: Reference
  }

  /// An operation is held while it runs, but for one that never said that it ends later: that one has to go when
  /// nobody else holds it.
  enum Reference: Sendable {
    case none
    case strong(FlowOperation)
    case weak(WeakOperation)

    var operation: FlowOperation? {
      switch self {
      case .none: nil
      case .strong(let operation): operation
      case .weak(let reference): reference.operation
      }
    }
  }

  final class WeakOperation: @unchecked Sendable {
    // Invariant: set once, in `init`; the runtime makes reading a weak reference safe from any thread.
    private(set) weak var operation: FlowOperation?

    init(_ operation: FlowOperation) { self.operation = operation }
  }

  private var slots: [Slot?] = []
  private var free: [Int] = []

  var operations: [FlowOperation] { slots.compactMap { $0?.operation.operation } }

  mutating func insert(_ slot: Slot) -> Int {
    if let index = free.popLast() {
      slots[index] = slot
      return index
    }
    slots.append(slot)
    return slots.count - 1
  }

  mutating func remove(_ index: Int) -> Slot? {
    guard slots.indices.contains(index), let slot = slots[index] else { return nil }
    slots[index] = nil
    free.append(index)
    return slot
  }

  mutating func loosen(_ index: Int, _ operation: FlowOperation) {
    guard slots.indices.contains(index), slots[index]?.operation.operation === operation else { return }
    slots[index]?.operation = .weak(WeakOperation(operation))
  }
}
