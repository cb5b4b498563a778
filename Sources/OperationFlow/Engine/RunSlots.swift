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

  /// One use of a slot: what comes late for an earlier use does not meet the next.
  struct ID: Sendable, Hashable {
    fileprivate let index: Int
    fileprivate let use: Int
  }

  private var slots: [(use: Int, slot: Slot?)] = []
  private var free: [Int] = []

  var running: [Running] { slots.compactMap { $0.slot?.running } }

  subscript(id: ID) -> Slot? {
    get { slots[id.index].use == id.use ? slots[id.index].slot : nil }
    set { if slots[id.index].use == id.use, slots[id.index].slot != nil { slots[id.index].slot = newValue } }
  }

  mutating func insert(_ slot: Slot) -> ID {
    guard let index = free.popLast() else {
      slots.append((0, slot))
      return ID(index: slots.count - 1, use: 0)
    }
    slots[index].use += 1
    slots[index].slot = slot
    return ID(index: index, use: slots[index].use)
  }

  mutating func remove(_ id: ID) -> Slot? {
    guard let slot = self[id] else { return nil }
    slots[id.index].slot = nil
    free.append(id.index)
    return slot
  }

  /// What begins in the slot.
  mutating func begin(_ id: ID, _ source: FlowEvent.Source, _ running: Running) {
    self[id]?.source = source
    self[id]?.running = running
  }

  /// Holds the operation in the slot no longer.
  mutating func loosen(_ id: ID, _ operation: FlowOperation) {
    guard self[id]?.running.operation === operation else { return }
    self[id]?.running = .loose(WeakOperation(operation))
  }
}
