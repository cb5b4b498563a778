/// What a run has started and what has not ended, each under a small number that is used again.
struct RunSlots: Sendable {
  /// One operation or closure at work.
  struct Slot: Sendable {
    let work: RunWork
    /// Who it is, once it has been made.
    var source: FlowEvent.Source?
    var running = Running.untracked
  }

  /// What there is to cancel.
  enum Running: Sendable {
    case untracked
    case operation(FlowOperation)
    /// An operation that has dependencies of its own, and is not started before they have finished.
    case waiting(FlowOperation)
    /// An operation that never said that it ends later has to go when nobody else holds it.
    case loose(WeakOperation)
    case task(Task<Void, Never>)

    var operation: FlowOperation? {
      switch self {
      case .operation(let operation), .waiting(let operation): operation
      case .loose(let reference): reference.operation
      case .untracked, .task: nil
      }
    }

    func cancel() {
      switch self {
      case .task(let task): task.cancel()
      case .waiting(let operation): operation.discard()
      case .operation, .loose, .untracked: operation?.cancel()
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

  var running: [Running] { slots.compactMap { $0?.running } }

  subscript(index: Int) -> Slot? { slots.indices.contains(index) ? slots[index] : nil }

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

  /// What runs in the slot; nothing happens where that has ended already.
  mutating func set(_ running: Running, in index: Int, for work: RunWork) {
    guard slots.indices.contains(index), slots[index]?.work == work else { return }
    slots[index]?.running = running
  }

  /// What begins in the slot.
  mutating func begin(_ index: Int, _ source: FlowEvent.Source, _ running: Running) {
    guard slots.indices.contains(index) else { return }
    slots[index]?.source = source
    slots[index]?.running = running
  }

  /// Holds the operation in the slot no longer.
  mutating func loosen(_ index: Int, _ operation: FlowOperation) {
    guard slots.indices.contains(index), slots[index]?.running.operation === operation else { return }
    slots[index]?.running = .loose(WeakOperation(operation))
  }
}
