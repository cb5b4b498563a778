/// What a run has claimed and what has not settled, each under a small number that is used again.
struct RunSlots: Sendable {
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
    fileprivate let index: Int32
    fileprivate let use: Int32
  }

  private struct Slot: Sendable {
    var use: Int32 = 0
    /// `nil` while the slot is free.
    var work: RunWork?
    var running = Running.untracked
  }

  private var slots: [Slot] = []
  private var free: [Int32] = []

  var running: [Running] { slots.compactMap { $0.work == nil ? nil : $0.running } }

  private func holds(_ id: ID) -> Bool {
    let slot = Int(id.index)
    return slots[slot].use == id.use && slots[slot].work != nil
  }

  func work(in id: ID) -> RunWork? { holds(id) ? slots[Int(id.index)].work : nil }

  func running(in id: ID) -> Running? { holds(id) ? slots[Int(id.index)].running : nil }

  mutating func insert(_ work: RunWork) -> ID {
    guard let index = free.popLast() else {
      slots.append(Slot(work: work))
      return ID(index: Int32(slots.count - 1), use: 0)
    }
    return reuse(ID(index: index, use: 0), for: work)
  }

  /// Gives back what was claimed, whose operation somebody else has to hold: it must not be freed under the lock.
  ///
  /// The slot itself is kept for `reuse(_:for:)` or `release(_:)`, which has to follow.
  mutating func remove(_ id: ID) -> RunWork? {
    guard holds(id) else { return nil }
    let slot = Int(id.index)
    let work = slots[slot].work
    slots[slot].work = nil
    if case .untracked = slots[slot].running { return work }
    slots[slot].running = .untracked
    return work
  }

  mutating func release(_ id: ID) { free.append(id.index) }

  mutating func reuse(_ id: ID, for work: RunWork) -> ID {
    let slot = Int(id.index)
    slots[slot].use &+= 1
    slots[slot].work = work
    return ID(index: id.index, use: slots[slot].use)
  }

  /// What there is to cancel in the slot from now on.
  mutating func track(_ running: Running, in id: ID) {
    if holds(id) { slots[Int(id.index)].running = running }
  }

  /// Holds the operation in the slot no longer.
  mutating func loosen(_ id: ID, _ operation: FlowOperation) {
    guard running(in: id)?.operation === operation else { return }
    slots[Int(id.index)].running = .loose(WeakOperation(operation))
  }
}
