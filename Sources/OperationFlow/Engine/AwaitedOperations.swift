import Foundation

// An operation may wait for another one that the same run has to start. If that never begins any more, it is ended, and so is
// the wait. If it can't begin before the one that waits has ended, as what runs at the end can't before an undo, the one that
// waits fails. Checks before a run find most of these, but not those among operations that are made during the run.
extension RunEngine {
  /// Fails one operation that waits, if all that is under way waits for what the run itself would have to start after it.
  func endStuck() {
    let waiting = state.withLock { $0.mayBeStuck ? $0.waitingOperations : [] }
    let waits = waiting.map { AwaitedOperations(of: $0.operation) }
    let unbegun = waits.map { $0.step(in: blueprint) }
    let stuck = waits.indices.filter { unbegun[$0] != nil || waits[$0].containsItself }
    let stuckIDs = Set(stuck.map { ObjectIdentifier(waiting[$0].operation) })
    // If anything waits only for others, that may go on, and then what is awaited here may come.
    guard let first = stuck.first, waits.allSatisfy({ $0.mayNeverEnd(stuckIDs) }) else { return }
    let ticket = waiting[first].ticket
    let cancellable = state.withLock { state -> Cancellable? in
      guard let claim = state.claims[ticket], claim.stopWaiting() else { return nil }
      state.machine.unpark(ticket)
      return claim.cancellable
    }
    let other = unbegun[first].map { FlowEvent.Source(blueprint.steps[$0].name, step: $0).description }
    cancellable?.endUnstarted(bucket, FlowError.unmeetableDependency(on: other, isItself: other == nil))
  }
}

extension RunState {
  /// The operations that wait for others.
  var waitingOperations: [(ticket: WorkTicket, operation: FlowOperation)] {
    machine.claims.all.compactMap { ticket, _ in claims[ticket]?.cancellable.operation.map { (ticket, $0) } }
  }
}

/// The operations for which another one waits, through others as well.
struct AwaitedOperations {
  private let waiting: ObjectIdentifier
  private let all: [Operation]
  private let ids: Set<ObjectIdentifier>

  init(of operation: FlowOperation) {
    waiting = ObjectIdentifier(operation)
    var found: [Operation] = [operation]
    var ids: Set<ObjectIdentifier> = []
    var count = 0
    while count < found.count {
      for other in found[count].dependencies where !other.isFinished && ids.insert(ObjectIdentifier(other)).inserted {
        found.append(other)
      }
      count += 1
    }
    all = found
    self.ids = ids
  }

  var containsItself: Bool { ids.contains(waiting) }

  /// True if it is one of these operations, or waits for one.
  func mayNeverEnd(_ stuck: Set<ObjectIdentifier>) -> Bool { stuck.contains(waiting) || !stuck.isDisjoint(with: ids) }

  /// A step of the run whose operation is awaited and has not begun; `nil` if there is none.
  func step(in blueprint: Blueprint) -> Blueprint.StepID? {
    // Most wait for what is at work, and then the steps need not be looked through.
    guard all.contains(where: { ($0 as? FlowOperation)?.isReserved == true }) else { return nil }
    return blueprint.instanceSteps.first { step in
      blueprint.steps[step].instance?.held.map { ids.contains(ObjectIdentifier($0)) } ?? false
    }
  }
}
